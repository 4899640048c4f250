import type { Caller, CloseOptions, Handler, Handling, Notification, Request, Scope } from "@tenon/jsonrpc2";
import { StatelessPeer } from "@tenon/jsonrpc2/stateless";

import type { ServerDefinition } from "./definition.ts";
import { beforeHandshake } from "./open/before-handshake.ts";
import { unknownClient, type Handshake } from "./open/handshake.ts";
import { initialize } from "./open/initialize.ts";
import { modernRequest } from "./open/modern-request.ts";
import { receiveNotification } from "./receive-notification.ts";
import { LiveServerRequest } from "./request.ts";
import { serve } from "./serve.ts";
import { isObserved, publishing } from "./unseen.ts";

/**
 * Handles the messages that belong to no session. Nothing of one message is kept for another.
 *
 * @source T-34, T-35
 */
export class StatelessServing {
  readonly #definition: ServerDefinition;
  readonly #loadFeatures: () => Promise<unknown> | undefined;
  readonly #peer: StatelessPeer;
  /** One function for all messages that name their protocol version. */
  readonly #modern: Handler = (scope) => this.#afterLoading(scope, undefined);
  /** While the code of the features is being loaded, which the first message starts. */
  #loading: Promise<unknown> | undefined;
  #isLoaded = false;

  /**
   * @param loadFeatures - Loads the code of the features in use; returns `undefined` if it is
   *   loaded.
   */
  constructor(definition: ServerDefinition, loadFeatures: () => Promise<unknown> | undefined) {
    this.#definition = definition;
    this.#loadFeatures = loadFeatures;
    const { onError, limits, clock, middleware } = definition;
    this.#peer = new StatelessPeer({
      send: (call, next) => middleware.send(call, undefined, next, definition),
      onError,
      limits: { drainMs: limits.drainMs },
      clock,
    });
  }

  /** @see Server.handle */
  handle(message: Request | Notification, caller: Caller, revision: string | undefined): Handling {
    return this.#peer.handle(
      message,
      caller,
      revision === undefined ? this.#modern : (scope) => this.#afterLoading(scope, revision),
    );
  }

  close(options: CloseOptions | undefined): Promise<void> {
    return this.#peer.close(options);
  }

  #afterLoading(scope: Scope, revision: string | undefined): unknown {
    const loading = this.#load();
    return loading === undefined
      ? this.#receive(scope, revision)
      : loading.then(() => this.#receive(scope, revision));
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

  #receive(scope: Scope, revision: string | undefined): unknown {
    const definition = this.#definition;
    if (scope.id === undefined) {
      return receiveNotification(scope, definition, undefined, undefined);
    }
    const modern = modernRequest(scope, definition, undefined);
    if (modern !== undefined) {
      return serve(definition, modern);
    }
    if (scope.method === "initialize") {
      const open = (): unknown => initialize(scope, definition, false).result;
      return isObserved() ? publishing(definition, scope, undefined, open) : open();
    }
    const rules = this.#legacyRules(revision);
    return rules === undefined
      ? beforeHandshake(scope, definition, undefined)
      : serve(definition, new LiveServerRequest(definition, undefined, scope, rules, unknownClient));
  }

  /**
   * The rules for a legacy request whose transport knows its protocol version; if that version is
   * not supported, the rules of the newest legacy version.
   */
  #legacyRules(revision: string | undefined): Handshake["rules"] | undefined {
    if (revision === undefined) {
      return undefined;
    }
    const { revisions } = this.#definition;
    const rules = revisions.find(revision);
    return rules?.era === "legacy" ? rules : revisions.legacy[0];
  }
}
