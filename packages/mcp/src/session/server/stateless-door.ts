import {
  ErrorCode,
  type Notification,
  type Request,
  type Caller,
  type CloseOptions,
  type Handling,
} from "@tenon/jsonrpc2/core";
import type { RequestFacts } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type { ServerDefinition } from "./definition.ts";
import { receiveStateless } from "./receive-stateless.ts";
import type { StatelessServing } from "./stateless-serving.lazy.ts";

/**
 * Handles the messages that do not belong to a session. The peer for them is loaded with the first
 * of them, because a server of sessions alone never needs it. The code that sessions need too is
 * loaded at once.
 */
export class StatelessDoor {
  readonly #onError: (error: unknown) => void;
  readonly #serving: Lazy<StatelessServing>;
  #isUsed = false;

  /**
   * @param loadFeatures - Loads the code of the features in use; returns `undefined` if it is
   *   loaded.
   */
  constructor(definition: ServerDefinition, loadFeatures: () => Promise<unknown> | undefined) {
    this.#onError = definition.onError;
    this.#serving = lazy(async () => {
      const { StatelessServing: Serving } = await import("./stateless-serving.lazy.ts");
      return new Serving(definition, receiveStateless, loadFeatures);
    });
  }

  /** @see Server.handle */
  handle(message: Request | Notification, caller: Caller, facts: RequestFacts | undefined): Handling {
    this.#isUsed = true;
    let handling: Handling | undefined;
    let isCancelled = false;
    const started = this.#serving.use((serving) => {
      if (isCancelled) {
        caller.ended?.();
      } else {
        handling = serving.handle(message, caller, facts);
      }
    });
    if (handling !== undefined) {
      return handling;
    }
    const settled = Promise.resolve(started).catch((error: unknown) => {
      this.#onError(error);
      if ("id" in message) {
        const failure = { code: ErrorCode.InternalError, message: "Internal error" };
        caller.answer({ jsonrpc: "2.0", id: message.id, error: failure });
      }
      caller.ended?.();
    });
    return {
      cancel: (reason) => {
        isCancelled = true;
        handling?.cancel(reason);
      },
      close: async (options) => {
        await settled;
        await handling?.close(options);
      },
    };
  }

  /**
   * Ends the requests that {@link handle} has started, and those that it starts while the code is
   * being loaded.
   */
  async close(options: CloseOptions | undefined): Promise<void> {
    if (this.#isUsed) {
      const serving = await Promise.resolve(this.#serving.use((loaded) => loaded)).catch(() => undefined);
      await serving?.close(options);
    }
  }
}
