import { checkOptionNames, errorSink } from "@tenon/base";

import { createSteps } from "../steps.ts";
import { checkBusMessage } from "./check.ts";
import type { Bus } from "./contract.ts";
import { createBusListeners } from "./listeners.ts";

/** Options of {@link createMemoryBus}. */
export interface MemoryBusOptions {
  /** Receives what listeners throw. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates a bus within one process. It loses no messages, so that `gap` is never called.
 *
 * @throws `TypeError` for options that do not exist.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): Bus {
  checkOptionNames("createMemoryBus", options, "onError");
  const listeners = createBusListeners(errorSink(options.onError));
  const { step, close } = createSteps("Bus", () => listeners.clear());
  return {
    publish: (topic, payload) =>
      step(() => {
        checkBusMessage(topic, payload);
        // In a microtask: a listener may publish without running inside another listener.
        queueMicrotask(() => listeners.message(topic, payload));
      }),
    subscribe: (topic, listener) =>
      step(() => {
        checkBusMessage(topic);
        const remove = listeners.add(topic, listener);
        return {
          [Symbol.asyncDispose]: () => {
            remove();
            return Promise.resolve();
          },
        };
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
