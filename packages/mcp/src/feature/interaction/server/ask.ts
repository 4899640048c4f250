import { lazy, type Lazy } from "../../../base/lazy.ts";
import { quiet } from "../../../base/values.ts";
import type { Input, InputOptions } from "../../../request/input.ts";
import type { Interaction } from "../../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type * as askingModule from "./ask.lazy.ts";

/** The dependencies for requesting input from clients. */
export type Asking = typeof askingModule;

/** Loaded on first use, because handlers rarely request input. */
export const asking: Lazy<Asking> = lazy(() => import("./ask.lazy.ts"));

/**
 * Runs `work` with the object that requests input for a request, which is created when it is first
 * needed. Calls keep their order.
 *
 * @returns The value of `work`, or a promise of it if code had to be loaded.
 */
export function interact<T>(
  request: InnerServerRequest,
  work: (interaction: Interaction, using: Asking) => T,
): T | Promise<Awaited<T>> {
  request.asks = true;
  return asking.use((using) => {
    request.interaction ??= using.createInteraction(request.original);
    return work(request.interaction, using);
  });
}

/**
 * Requests input on behalf of a request. Every error rejects the promise, even before anything is
 * sent. The promise may be ignored.
 */
export function ask<T>(
  request: InnerServerRequest,
  make: (using: Asking) => Input<T>,
  options: InputOptions = {},
): Promise<T> {
  return quiet(
    promised(() =>
      interact(request, (interaction, using) => {
        using.requireSession(request);
        return interaction.ask(make(using), options);
      }),
    ),
  );
}

/** Runs a step of a request; see `RequestContext.step`. */
export function runStep<T>(request: InnerServerRequest, name: string, run: () => T | Promise<T>): Promise<T> {
  return quiet(promised(() => interact(request, (interaction) => interaction.step(name, run))));
}

function promised<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}
