import {
  isLocalError,
  Peer,
  RpcError,
  type Closed,
  type Connection,
  type Notification,
  type RequestId,
  type Scope,
  type Unexpected,
} from "@tenon/jsonrpc2";
import { modernVersion } from "@tenon/protocol";
import { safeParse } from "mcp-sdk-1/server/zod-compat.js";
import {
  DEFAULT_REQUEST_TIMEOUT_MSEC as defaultTimeout,
  type NotificationOptions,
  type RequestOptions,
} from "mcp-sdk-1/shared/protocol.js";
import type { Transport, TransportSendOptions } from "mcp-sdk-1/shared/transport.js";
import { ErrorCode, RELATED_TASK_META_KEY as relatedTask } from "mcp-sdk-1/types.js";

import { callOptions, failureOf } from "./call.ts";
import { connectionOf, offeredBy, type TransportConnection } from "./connection.ts";
import { timedOut, toRpcError } from "./errors.ts";
import { extraOf } from "./extra.ts";
import {
  hooks,
  type Hooks,
  type Internals,
  type ModernSession,
  type Named,
  type RawRequest,
  type Schema,
} from "./internals.ts";

/** The official engine has no limit of requests in flight: programs with long polls count on it. */
const maxInFlight = 65_536;
/** The official stdio server does not close at the end of its input: running handlers continue. */
const drainMs = 3_600_000;

/** One connection of a protocol, from `connect` to its end. */
export class Link {
  readonly #protocol: Internals;
  readonly #transport: Transport;
  /** Options of the transport by the id of the request, for the message that carries it. */
  readonly #sendOptions = new Map<RequestId, TransportSendOptions>();
  readonly #progress = new Map<number, (progress: object) => void>();
  readonly #timeouts = new Map<RequestId, number>();
  #peer: Peer | undefined;
  #session: ModernSession | undefined;
  /** Ends the connection while its protocol version is negotiated. */
  #closing: (() => Promise<void>) | undefined;
  #isEnded = false;
  /** Resolves when the response to `server/discover` is known. */
  #discovering: Promise<void> | undefined;

  /** A link that {@link open} connects. */
  constructor(protocol: Internals, transport: Transport) {
    this.#protocol = protocol;
    this.#transport = transport;
  }

  /** The modern session, if one was negotiated. */
  get session(): ModernSession | undefined {
    return this.#session;
  }

  /** Starts the transport and reads from it. */
  async open(): Promise<void> {
    const protocol = this.#protocol;
    const transport = this.#transport;
    const { onerror } = transport;
    transport.onerror = (error): void => {
      onerror?.(error);
      protocol._onerror(error);
    };
    const direct = offeredBy(transport);
    if (direct !== undefined) {
      this.#read(await direct, drainMs);
      return;
    }
    const negotiate = protocol[hooks]?.negotiator?.(protocol, transport);
    let isAttempt = negotiate !== undefined;
    const connect = (): TransportConnection =>
      connectionOf(transport, {
        isAttempt: () => isAttempt,
        optionsOf: (message) =>
          "id" in message ? this.#sendOptions.get(message.id as RequestId) : undefined,
        onEnd: () => this.#end(),
        onUnknown: (message) => {
          protocol._onerror(new Error(`Unknown message type: ${JSON.stringify(message)}`));
        },
      });
    const connection = connect();
    if (negotiate === undefined) {
      // The official engine reads before it starts: some transports deliver during `start`.
      this.#read(connection, 0);
      await this.#start(connection);
      return;
    }
    this.#closing = () => connection.close();
    await this.#start(connection);
    const negotiated = await negotiate(connection);
    isAttempt = false;
    this.#closing = undefined;
    if (negotiated.session !== undefined) {
      this.#use(negotiated.session, connection);
    } else if (negotiated.connection !== undefined) {
      this.#read(negotiated.connection, 0);
    } else {
      // A server that ends when it gets an unknown request is started once more.
      connection.release();
      const again = connect();
      this.#read(again, 0);
      await this.#start(again);
    }
  }

  #use(session: ModernSession, connection: Connection): void {
    this.#session = session;
    const end = async (): Promise<void> => {
      await connection.close();
      this.#end();
    };
    const ended = session.closed.then(end, end);
    this.#closing = async () => {
      await session.close();
      await ended;
    };
  }

  async #start(connection: TransportConnection): Promise<void> {
    try {
      await connection.start();
    } catch (error) {
      void this.#peer?.close({ drainMs: 0 });
      throw error;
    }
  }

  /** Ends the connection; the transport closes in this turn. */
  async close(): Promise<void> {
    await (this.#closing?.() ?? this.#peer?.close({ drainMs: 0 }));
  }

  #read(connection: Connection, drain: number): void {
    const protocol = this.#protocol;
    const isDirect = drain > 0;
    const peer = new Peer(connection, {
      handler: (scope) => (scope.id === undefined ? this.#notified(scope) : this.#requested(scope, scope.id)),
      relate: (notification) => this.#relate(notification),
      cancellation: {
        notification: (id, reason) => ({
          method: "notifications/cancelled",
          params: { requestId: id, reason: String(this.#reasonOf(id, reason)) },
        }),
        read: ({ method, params }) => this.#cancelled(method, params),
      },
      nextId: () => protocol._requestMessageId++,
      limits: { drainMs: drain, maxInFlight, maxBacklog: maxInFlight },
      // The official engine passes over what it cannot read, and reports it.
      answerRefused: () => false,
      onUnexpected: (unexpected) => this.#unexpected(unexpected),
      onError: (error) => {
        if (!isLocalError(error, "CONNECTION_CLOSED")) {
          protocol._onerror(error as Error);
        }
      },
    });
    this.#peer = peer;
    void peer.closed.then((end) => this.#peerEnded(end, isDirect));
  }

  #peerEnded({ error }: Closed, isDirect: boolean): void {
    if (this.#isEnded) {
      return;
    }
    if (error !== undefined) {
      this.#protocol._onerror(error as Error);
    }
    if (isDirect) {
      this.#transport.onclose?.();
    }
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) {
      return;
    }
    this.#isEnded = true;
    // Aborts the handlers, in this turn.
    void this.#peer?.close({ drainMs: 0 });
    const protocol = this.#protocol;
    protocol[hooks]?.ended?.(protocol);
    protocol._onclose();
  }

  #relate({ method, params }: Notification): RequestId | undefined {
    if (method !== "notifications/progress") {
      return undefined;
    }
    const token = Number(Object(params)["progressToken"]);
    return this.#progress.has(token) ? token : undefined;
  }

  #reasonOf(id: RequestId, reason: unknown): unknown {
    return isLocalError(reason, "TIMEOUT") ? timedOut(this.#timeouts.get(id) ?? defaultTimeout) : reason;
  }

  #cancelled(
    method: string,
    params: object | undefined,
  ): { id: RequestId | undefined; reason?: unknown } | undefined {
    if (method !== "notifications/cancelled") {
      return undefined;
    }
    const { requestId: id, reason } = (params ?? {}) as { requestId?: RequestId; reason?: unknown };
    // Requests of tasks run in the official code.
    this.#protocol._requestHandlerAbortControllers.get(id)?.abort(reason);
    return { id, reason };
  }

  #unexpected({ kind, message, error }: Unexpected): void {
    if (kind === "response" && message !== undefined) {
      // A response to a request of a task, or to nothing.
      this.#protocol._onresponse(message);
      return;
    }
    if (kind === "duplicate-request" && message !== undefined) {
      // The official engine serves a repeated id, too.
      this.#protocol._onrequest(message, undefined);
      return;
    }
    this.#protocol._onerror(new Error(error?.message ?? `Unexpected ${kind}`));
  }

  #requested(scope: Scope, id: RequestId): unknown {
    const protocol = this.#protocol;
    const { method } = scope;
    const params = scope.params as RawRequest["params"];
    const serve = protocol[hooks]?.serve;
    if (serve !== undefined && typeof modernVersion(params) === "string") {
      return this.#serve(serve, scope);
    }
    const request: RawRequest =
      params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
    const official = scope.extra?.official;
    if (protocol._taskStore !== undefined && isAboutTask(request)) {
      this.#peer?.cancel(id);
      protocol._onrequest(request, official);
      return undefined;
    }
    const handler = protocol._requestHandlers.get(method) ?? protocol.fallbackRequestHandler;
    if (handler === undefined) {
      throw new RpcError(ErrorCode.MethodNotFound, "Method not found");
    }
    const extra = extraOf(protocol, request, scope, this.#transport.sessionId);
    // The official engine starts handlers a turn later; synchronous throws reject, too.
    return Promise.resolve(method === "initialize" ? this.#discovering : undefined)
      .then(() => {
        if (params?.["task"] !== undefined) {
          protocol.assertTaskHandlerCapability(method);
        }
        return handler(request, extra);
      })
      .catch((error: unknown) => {
        throw toRpcError(error);
      });
  }

  #serve(serve: NonNullable<Hooks["serve"]>, scope: Scope): unknown {
    const served = serve(this.#protocol, scope);
    if (scope.method === "server/discover") {
      // A client that has waited long sends `initialize`, too, and uses the first response. The
      // first modern request loads code, which takes longer than `initialize`.
      this.#discovering = Promise.resolve(served).then(ignore, ignore);
    }
    return served;
  }

  #notified({ method, params }: Scope): void {
    this.#protocol._onnotification(
      params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params },
    );
  }

  /** Sends a request that no hook has taken. */
  async request({ method, params: given }: Named, schema: Schema, options: RequestOptions): Promise<unknown> {
    const protocol = this.#protocol;
    const caller = this.#session ?? this.#callerOfPeer();
    if (caller === undefined) {
      throw new Error("Not connected");
    }
    if (protocol._options?.enforceStrictCapabilities === true) {
      protocol.assertCapabilityForMethod(method);
    }
    options.signal?.throwIfAborted();
    const id = protocol._requestMessageId;
    const { onprogress, resumptionToken, onresumptiontoken, timeout = defaultTimeout } = options;
    let params = given;
    if (onprogress !== undefined) {
      params = { ...given, _meta: { ...(given?.["_meta"] as object | undefined), progressToken: id } };
      this.#progress.set(id, onprogress as (progress: object) => void);
    }
    if (resumptionToken !== undefined || onresumptiontoken !== undefined) {
      this.#sendOptions.set(id, { resumptionToken, onresumptiontoken });
    }
    this.#timeouts.set(id, timeout);
    const started = Date.now();
    try {
      const result = await caller.call(method, params, callOptions(options, timeout));
      this.#keepProgress(id, onprogress as ((progress: object) => void) | undefined, result);
      const parsed = safeParse(schema, result);
      if (!parsed.success) {
        throw parsed.error;
      }
      return parsed.data;
    } catch (error) {
      throw failureOf(error, options, timeout, Date.now() - started);
    } finally {
      this.#progress.delete(id);
      this.#sendOptions.delete(id);
      this.#timeouts.delete(id);
    }
  }

  #callerOfPeer(): Pick<ModernSession, "call"> | undefined {
    const peer = this.#peer;
    return peer && !this.#isEnded
      ? { call: (method, params, options) => peer.call(method, params, options) }
      : undefined;
  }

  /** The progress of a task continues after the response with the task. */
  #keepProgress(id: number, onprogress: ((progress: object) => void) | undefined, result: unknown): void {
    const { task } = Object(result) as { readonly task?: { readonly taskId?: unknown } };
    if (onprogress !== undefined && typeof task?.taskId === "string") {
      this.#protocol._progressHandlers.set(id, onprogress);
      this.#protocol._taskProgressTokens.set(task.taskId, id);
    }
  }

  /** Sends a notification that no hook has taken. */
  async notification({ method, params }: Named, options: NotificationOptions): Promise<void> {
    const protocol = this.#protocol;
    const { relatedRequestId } = options;
    const debounced = protocol._options?.debouncedNotificationMethods ?? [];
    if (params === undefined && relatedRequestId === undefined && debounced.includes(method)) {
      const waiting = protocol._pendingDebouncedNotifications;
      if (!waiting.has(method)) {
        waiting.add(method);
        queueMicrotask(() => {
          // The end of the connection empties the set.
          if (!waiting.delete(method) || protocol._transport === undefined) {
            return;
          }
          this.#notify(method, params, undefined).catch((error: unknown) =>
            protocol._onerror(error as Error),
          );
        });
      }
      return;
    }
    await this.#notify(method, params, relatedRequestId);
  }

  async #notify(method: string, params: Named["params"], relatedTo: RequestId | undefined): Promise<void> {
    if (this.#session !== undefined) {
      await this.#session.notify(method, params);
    } else if (!this.#isEnded) {
      await this.#peer?.notify(method, params, { relatedTo });
    }
  }
}

function ignore(): void {}

function isAboutTask({ method, params }: RawRequest): boolean {
  const meta = params?.["_meta"] as Readonly<Record<string, unknown>> | undefined;
  return params?.["task"] !== undefined || meta?.[relatedTask] !== undefined || method.startsWith("tasks/");
}
