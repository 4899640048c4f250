import type { Caller, CloseOptions, Handler, Handling, Notification, Request, Scope } from "@tenon/jsonrpc2";
import { StatelessPeer } from "@tenon/jsonrpc2/stateless";
import type { RequestFacts } from "@tenon/protocol";

import type { ServerDefinition } from "./definition.ts";
import type { receiveStateless } from "./receive-stateless.ts";

/**
 * Handles the messages that belong to no session. Nothing of one message is kept for another.
 *
 * @source T-34, T-35
 */
export class StatelessServing {
  readonly #definition: ServerDefinition;
  readonly #receive: typeof receiveStateless;
  readonly #loadFeatures: () => Promise<unknown> | undefined;
  readonly #peer: StatelessPeer;
  /** One function for all messages whose transport has read nothing. */
  readonly #unread: Handler = (scope) => this.#afterLoading(scope, undefined);
  /** While the code of the features is being loaded, which the first message starts. */
  #loading: Promise<unknown> | undefined;
  #isLoaded = false;

  /**
   * @param receive - Handles a message whose features are loaded.
   * @param loadFeatures - Loads the code of the features in use; returns `undefined` if it is
   *   loaded.
   */
  constructor(
    definition: ServerDefinition,
    receive: typeof receiveStateless,
    loadFeatures: () => Promise<unknown> | undefined,
  ) {
    this.#definition = definition;
    this.#receive = receive;
    this.#loadFeatures = loadFeatures;
    const { onError, onUnsent, limits, clock, middleware } = definition;
    this.#peer = new StatelessPeer({
      send: (call, next) => middleware.send(call, undefined, next, definition),
      onError,
      onUnsent,
      limits: { drainMs: limits.drainMs },
      clock,
    });
  }

  /** @see Server.handle */
  handle(message: Request | Notification, caller: Caller, facts: RequestFacts | undefined): Handling {
    return this.#peer.handle(
      message,
      caller,
      facts === undefined ? this.#unread : (scope) => this.#afterLoading(scope, facts),
    );
  }

  close(options: CloseOptions | undefined): Promise<void> {
    return this.#peer.close(options);
  }

  #afterLoading(scope: Scope, facts: RequestFacts | undefined): unknown {
    const loading = this.#load();
    return loading === undefined
      ? this.#receive(scope, this.#definition, facts)
      : loading.then(() => {
          // If the client has disconnected, its handler would not get the event `abort` any more.
          scope.signal.throwIfAborted();
          return this.#receive(scope, this.#definition, facts);
        });
  }

  #load(): Promise<unknown> | undefined {
    if (!this.#isLoaded && this.#loading === undefined) {
      const loading = this.#loadFeatures();
      this.#isLoaded = loading === undefined;
      // The next message tries again what failed.
      this.#loading = loading?.then(
        () => {
          this.#isLoaded = true;
          this.#loading = undefined;
        },
        (error: unknown) => {
          this.#loading = undefined;
          throw error;
        },
      );
    }
    return this.#loading;
  }
}
