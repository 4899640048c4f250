import type { ServerRequest } from "./request.ts";
import type { ServerSession } from "./session.ts";

/** A client that might be notified of a change. */
export interface ChangeReceiver {
  /** The session; `undefined` for a modern client over HTTP. */
  readonly session: ServerSession | undefined;
  /** The `subscriptions/listen` of a modern client; `undefined` for a legacy client. */
  readonly request: ServerRequest | undefined;
}

/** Returns whether to notify a client. If it throws an error, the client is not notified. */
export type ChangeFilter = (receiver: ChangeReceiver) => boolean;

/** Options of `Server.resourceUpdated` and `Server.announce`. */
export interface ChangeOptions {
  /**
   * Chooses among the clients that would be notified, for example the clients of one user. Default:
   * all of them.
   */
  readonly to?: ChangeFilter | undefined;
}
