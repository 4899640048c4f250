import {
  ErrorCode,
  type Notification,
  type Request,
  type Caller,
  type CloseOptions,
  type Handling,
} from "@tenon/jsonrpc2/core";
import type { RequestFacts } from "@tenon/protocol";

import type { ServerDefinition } from "./definition.ts";
import { receiveStateless } from "./receive-stateless.ts";
import type { StatelessServing } from "./stateless-serving.lazy.ts";

/**
 * Handles the messages that do not belong to a session. The peer for them is loaded with the first
 * of them, because a server of sessions alone never needs it. The code that sessions need too is
 * loaded at once.
 */
export class StatelessDoor {
  readonly #definition: ServerDefinition;
  readonly #loadFeatures: () => Promise<unknown> | undefined;
  #serving: StatelessServing | undefined;
  #opening: Promise<StatelessServing> | undefined;

  /**
   * @param loadFeatures - Loads the code of the features in use; returns `undefined` if it is
   *   loaded.
   */
  constructor(definition: ServerDefinition, loadFeatures: () => Promise<unknown> | undefined) {
    this.#definition = definition;
    this.#loadFeatures = loadFeatures;
  }

  /** @see Server.handle */
  handle(message: Request | Notification, caller: Caller, facts: RequestFacts | undefined): Handling {
    return this.#serving?.handle(message, caller, facts) ?? this.#handleLater(message, caller, facts);
  }

  /**
   * Ends the requests that {@link handle} has started, and those that it starts while the code is
   * being loaded.
   */
  async close(options: CloseOptions | undefined): Promise<void> {
    const serving = this.#serving ?? (await this.#opening?.catch(() => undefined));
    await serving?.close(options);
  }

  #handleLater(message: Request | Notification, caller: Caller, facts: RequestFacts | undefined): Handling {
    let handling: Handling | undefined;
    let isCancelled = false;
    const started = this.#open().then(
      (serving) => {
        if (isCancelled) {
          caller.ended?.();
        } else {
          handling = serving.handle(message, caller, facts);
        }
      },
      (error: unknown) => {
        this.#definition.onError(error);
        if ("id" in message) {
          const { id } = message;
          const { InternalError: code } = ErrorCode;
          caller.answer({ jsonrpc: "2.0", id, error: { code, message: "Internal error" } });
        }
        caller.ended?.();
      },
    );
    return {
      cancel: (reason) => {
        isCancelled = true;
        handling?.cancel(reason);
      },
      close: async (options) => {
        await started;
        await handling?.close(options);
      },
    };
  }

  /** Calls keep their order: all that wait run at once when the code is loaded. */
  #open(): Promise<StatelessServing> {
    this.#opening ??= import("./stateless-serving.lazy.ts").then(
      ({ StatelessServing: Serving }) => {
        this.#serving = new Serving(this.#definition, receiveStateless, this.#loadFeatures);
        return this.#serving;
      },
      (error: unknown) => {
        // The next message tries again.
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }
}
