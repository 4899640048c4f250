import type { RequestId } from "@tenon/jsonrpc2";

import type { InnerClientSession } from "./inner-session.ts";
import type { ClientSession } from "./session.ts";

declare module "@tenon/jsonrpc2" {
  interface MessageExtra {
    /** The request of this side for which the peer sent a request, where the transport knows. */
    readonly relatedTo?: RequestId | undefined;
  }
}

/** One inbound request or notification of a client, as handlers and middleware see it. */
export interface ClientRequest {
  /** The session on which it came; `undefined` while it is still being negotiated. */
  readonly session: ClientSession | undefined;
  /** `{}` if there were none. As received: unchecked. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The JSON-RPC id, `undefined` for a notification. */
  readonly id: RequestId | undefined;
  /**
   * The request of this client for which the server asks, or sends a notification: the id that
   * `RequestOptions.onId` gave. For input of 2026-07-28 it is set if the request has `onId`.
   * Otherwise it is known over Streamable HTTP and in memory. It is `undefined` if the server asks
   * outside of a request, and where nothing names the request, as over stdio: do not assume then
   * that the newest request is meant.
   */
  readonly relatedTo: RequestId | undefined;
  /** Fires when the server cancels the request or the connection ends. */
  readonly signal: AbortSignal;
  /** Such as `elicitation/create`. */
  readonly method: string;
  /** The `_meta`, `{}` if there is none. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The same request with other parameters, or with another signal. */
  with(changed: ChangedClientRequest): ClientRequest;
}

/** The changes of {@link ClientRequest.with}. */
export interface ChangedClientRequest {
  /** Default: the params of the request. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** For a handler that runs after the response. Default: the signal of the request. */
  readonly signal?: AbortSignal | undefined;
}

/** A request as the features of the client see it. */
export interface InnerClientRequest extends ClientRequest {
  readonly session: InnerClientSession | undefined;
  with(changed: ChangedClientRequest): InnerClientRequest;
}
