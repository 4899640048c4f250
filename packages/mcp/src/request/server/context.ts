import type { CallOptions } from "@tenon/jsonrpc2";
import type { OutputOf } from "@tenon/jsonschema";
import type {
  AuthInfo,
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  HttpRequestInfo,
  Implementation,
  InputResponses,
  LoggingLevel,
  Revision,
  Root,
} from "@tenon/protocol";

import type { ElicitOutcome, FormParams, FormSource, UrlParams } from "../elicit.ts";
import type { MethodDefinition, NotificationDefinition, Received, Sent } from "../extension.ts";
import type { InputOptions } from "../input.ts";
import type { ContextExtensionProperties } from "../open.ts";
import type { ServerSession } from "./session.ts";

declare module "@tenon/jsonrpc2" {
  interface MessageExtra {
    /** The HTTP request that carried the message. On other transports it is `undefined`. */
    readonly http?: HttpRequestInfo | undefined;
    /** The sender of the message. Without authentication it is `undefined`. */
    readonly auth?: AuthInfo | undefined;
  }
}

/**
 * The client as it describes itself: for a legacy client once per session, for a modern client in
 * every request. The description is not verified.
 */
export interface ClientDescription {
  /** Unverified, for display and logs. @source R-141 */
  readonly info: Implementation | undefined;
  /** The capabilities that the client has declared. */
  readonly capabilities: ClientCapabilities;
}

/** The context of the request that a handler of the server handles. */
export interface RequestContext extends ContextExtensionProperties {
  /** Aborts when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Such as `tools/call`. */
  readonly method: string;
  /** The revision in which this request is written. */
  readonly revision: Revision;
  /** The request's `_meta`, `{}` if it has none. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The client that sent the request, and its capabilities. */
  readonly client: ClientDescription;
  /** The HTTP request that carried this one, on HTTP transports. */
  readonly http: HttpRequestInfo | undefined;
  /** The sender of the request, if it was authenticated. */
  readonly auth: AuthInfo | undefined;
  /**
   * The session of the connection that carried the request; `undefined` for a request without a
   * session, as over HTTP in 2026-07-28. In the modern era do not draw conclusions from it: one
   * connection may carry the requests of several users. To tell users apart, use
   * {@link RequestContext.auth}.
   *
   * @source R-147
   */
  readonly session: ServerSession | undefined;
  /**
   * Reports progress if the client requested it. Otherwise, and after the request has completed, it
   * does nothing. Values that do not increase, or are not finite, are dropped.
   *
   * @example await context.progress(3, 10, "3 of 10 files read");
   * @param progress - The progress, which increases with every call.
   * @param total - The final value, if known.
   * @param message - A message for people.
   * @source R-432
   */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /**
   * Has the user open a web page, for data that must not be sent through the client, such as
   * credentials and payments. Otherwise the same as a form, see the other overload.
   */
  elicit(params: UrlParams, options?: InputOptions): Promise<ElicitOutcome<undefined>>;
  /**
   * Requests input from the user, by a form or a web page, and waits for the response. Up to
   * 2025-11-25 this sends a request to the client. In 2026-07-28 the client gets the input request
   * as the result of its own request. When it sends the request again with the response, **the
   * handler runs again from its start**, and this call resolves at once. Code before it runs again,
   * unless it is a {@link step}. Input requests of the same turn are sent together.
   *
   * Promises made from this one (by `then`, or by an async function around it) should be awaited
   * together, with `Promise.all`, rather than one after the other: all of them reject when the run
   * is suspended.
   *
   * @returns The action of the user. For an accepted form also `content`, validated against the
   *   schema and with defaults filled in.
   * @throws `McpError` `CAPABILITY_MISSING` if the client has not declared the mode; if you do not
   *   catch it, the request gets `-32021` (modern) or a result with `isError`. `DUPLICATE_KEY`,
   *   `INVALID_DEFINITION` (the schema is not a flat form), `NOT_IN_REVISION`; `INPUT_FAILED` and
   *   `INVALID_RESULT` for legacy clients; `signal.reason` if the client cancelled; jsonrpc2's
   *   `LIMIT_EXCEEDED`, and for legacy clients `CONNECTION_CLOSED` at once if the client cannot get
   *   the request.
   */
  elicit<const S extends FormSource>(
    params: FormParams<S>,
    options?: InputOptions,
  ): Promise<ElicitOutcome<OutputOf<S>>>;
  /**
   * Has the client's model write the next message of a conversation. Works like {@link elicit} in
   * every protocol version.
   *
   * @throws As {@link elicit}; `INVALID_DEFINITION` if tool calls and their results do not pair up.
   * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API. Earliest removal: the
   *   first revision on or after 2027-07-28.
   * @source R-607
   */
  sample(params: CreateMessageRequestParams, options?: InputOptions): Promise<CreateMessageResult>;
  /**
   * Returns the root directories of the client. Works like {@link elicit} in every protocol
   * version.
   *
   * @throws As {@link elicit}.
   * @deprecated since 2026-07-28 (SEP-2577): use tool parameters or resource URIs. Earliest
   *   removal: the first revision on or after 2027-07-28.
   */
  listRoots(options?: InputOptions): Promise<readonly Root[]>;
  /**
   * Runs `run` once for this request, even if its handler runs several times. The result is stored
   * in the sealed state of the request, and later runs get it from there. Use it for side effects,
   * for slow operations, and for values that differ from run to run. An input request waits until
   * running steps have finished, so a step cannot request input. If the client never sends the
   * responses, finished steps are not undone; if it repeats the request without the state, steps
   * run again. The result of a step that throws is not stored.
   *
   * @param name - Unique in its request, 1 to 128 characters without `#`.
   * @param run - Returns plain JSON, or `undefined`.
   * @throws The error of `run`; `McpError` `DUPLICATE_KEY`; jsonrpc2's `NOT_SERIALIZABLE`.
   */
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>;
  /**
   * The client's responses to the last `inputRequired` of this handler, by its keys. Not validated.
   */
  readonly inputResponses: InputResponses | undefined;
  /**
   * The `requestState` of the last `inputRequired` of this handler. It is protected against
   * changes.
   */
  readonly requestState: unknown;
  /** A `requestState` that was not sealed: whatever the client sent. See `allowUnsealedState`. */
  readonly unsealedState: string | undefined;
  /**
   * Sends a log message to the client, if the client has set this level: a modern client in this
   * request, a legacy client for the session. Requires the server option `logging`. Never rejects
   * because of the connection. Do not log secrets or personal data.
   *
   * @param data - A value that JSON can represent; {@link createLogger} creates objects with the
   *   message under `msg`.
   * @param logger - The name of the part of the server. Default: the server's `logging.name`.
   * @throws `TypeError` for a level that does not exist.
   * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577): use stderr or OpenTelemetry.
   *   Earliest removal: the first revision released on or after 2027-07-28.
   * @source R-564
   */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Sends a notification of an extension that belongs to this request; a client that has not
   * declared the extension is not told.
   */
  notify<P>(notification: NotificationDefinition<P>, params: Sent<P>): Promise<void>;
  /**
   * Sends a request of an extension to the client. Legacy era only: in the modern era servers send
   * no requests.
   *
   * @throws `McpError` `CAPABILITY_MISSING` if the client has not declared the extension,
   *   `INVALID_RESULT`, `NOT_IN_REVISION`.
   * @source R-121
   */
  call<P, R>(method: MethodDefinition<P, R>, params: Sent<P>, options?: CallOptions): Promise<Received<R>>;
}
