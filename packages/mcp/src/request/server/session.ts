import type { CallOptions, Closed, CloseOptions, Network } from "@tenon/jsonrpc2";
import type { OutputOf } from "@tenon/jsonschema";
import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  Implementation,
  LoggingLevel,
  Revision,
  Root,
  ServerCapabilities,
} from "@tenon/protocol";

import type { SessionState } from "../../base/state.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { ElicitOutcome, FormParams, FormSource, UrlParams } from "../elicit.ts";
import type { MethodDefinition, NotificationDefinition, Received, Sent } from "../extension.ts";
import type { InputCallOptions } from "../input.ts";
import type { ChangeOptions } from "./change.ts";

/** The server of a session: the object that `new Server` returned. */
export interface ServerOfSession {
  /** Name and version, as clients see them. */
  readonly info: Implementation;
  /** The sessions of this moment; they may end while they are iterated. */
  sessions(): IterableIterator<ServerSession>;
  /** Notifies the clients that have subscribed to a resource. With `to`, only some of them. */
  resourceUpdated(uri: string, options?: ChangeOptions): void;
}

/**
 * The connection of one client to a server. It serves modern and legacy requests: a request that
 * names its protocol version in `_meta` is stateless; any other request belongs to the session that
 * `initialize` opened.
 *
 * @source
 */
export interface ServerSession extends AsyncDisposable {
  /** The server whose session this is. */
  readonly server: ServerOfSession;
  /** The transport's name for this session, where it has one. */
  readonly id: string | undefined;
  /** The network to the remote peer. `undefined` in memory, or if it is unknown. */
  readonly network: Network | undefined;
  /** The capabilities of this server that the client got in the `initialize` result. */
  readonly capabilities: ServerCapabilities | undefined;
  /**
   * The legacy revision agreed on in `initialize`; `undefined` before it, and for clients of the
   * modern era.
   */
  readonly revision: Revision | undefined;
  /**
   * Whether a legacy client has sent `notifications/initialized`. From then on the server may send
   * it notifications and requests.
   */
  readonly initialized: boolean;
  /** The identity of the client in `initialize`. */
  readonly clientInfo: Implementation | undefined;
  /** The capabilities of the client in `initialize`. */
  readonly clientCapabilities: ClientCapabilities | undefined;
  /** Resolves when the session has ended, with the error that broke it, if any. Never rejects. */
  readonly closed: Promise<Closed>;
  /**
   * Waits for the end of the session; rejects with what broke it, or with `signal.reason`.
   *
   * @source S-062
   */
  wait(options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Ends the session: open subscriptions get their results, and running handlers get `drainMs` to
   * finish. Idempotent.
   */
  close(options?: CloseOptions): Promise<void>;
  /**
   * Sends a notification on the session itself, not on behalf of a request. It is not sent if the
   * protocol version lacks it, or if a legacy client is not ready yet. In 2026-07-28 the caller
   * must make sure that the client has subscribed to it.
   *
   * @source R-167, T-35
   */
  notify(method: string, params?: object): Promise<void>;
  /** Sends a notification of an extension; a client that has not declared it is not told. */
  notify<P>(notification: NotificationDefinition<P>, params: Sent<P>): Promise<void>;
  /**
   * Sends a request to a legacy client. In a handler use the context instead.
   *
   * @throws `McpError` `NOT_IN_REVISION` if the session is not a legacy session or its protocol
   *   version does not have the method, `CAPABILITY_MISSING` if the client has not declared the
   *   required capability, `NOT_READY` for anything but `ping` before
   *   {@link ServerSession.initialized}.
   * @source R-167
   */
  request(method: string, params?: object, options?: InputCallOptions): Promise<unknown>;
  /**
   * Sends a request of an extension (legacy era).
   *
   * @throws `McpError` `CAPABILITY_MISSING` if the client has not declared it.
   */
  request<P, R>(method: MethodDefinition<P, R>, params: Sent<P>, options?: CallOptions): Promise<Received<R>>;
  /**
   * Requests input from the user of a legacy client, independently of a request. In a handler use
   * the context instead. Over Streamable HTTP this deviates from SEP-2260, which forbids such
   * requests.
   *
   * @throws As `RequestContext.elicit`; `McpError` `NOT_IN_REVISION` without a handshake,
   *   `NOT_READY` before {@link ServerSession.initialized}.
   * @source R-356
   */
  elicit<const S extends FormSource>(
    params: FormParams<S> | UrlParams,
    options?: InputCallOptions,
  ): Promise<ElicitOutcome<OutputOf<S>>>;
  /**
   * Has the client's model write a message, independently of a request.
   *
   * @throws As {@link elicit}. @deprecated since 2026-07-28 (SEP-2577).
   * @source S-122
   */
  createMessage(params: CreateMessageRequestParams, options?: InputCallOptions): Promise<CreateMessageResult>;
  /**
   * The client's roots, asked for now.
   *
   * @throws As {@link elicit}. @deprecated since 2026-07-28 (SEP-2577).
   * @source S-115
   */
  listRoots(options?: CallOptions): Promise<readonly Root[]>;
  /**
   * Returns the client's roots, which are requested again only after a change. @deprecated since
   * 2026-07-28 (SEP-2577).
   *
   * @source S-118
   */
  roots(): AsyncIterableIterator<Root>;
  /**
   * Sends a log message to a legacy client, if it wants that level. Inside a handler use the
   * context instead.
   *
   * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577): use stderr or OpenTelemetry.
   *   Earliest removal: the first revision released on or after 2027-07-28.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
}

/** A session as features see it. */
export interface InnerServerSession extends ServerSession {
  /** The state that features keep for this session. */
  readonly state: SessionState;
  /**
   * The rules of the legacy version negotiated in `initialize`; `undefined` in the same cases as
   * {@link ServerSession.revision}.
   */
  readonly rules: RevisionRules | undefined;
}
