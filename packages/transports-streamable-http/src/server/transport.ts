import { checkOptionNames, errorSink, readLimits } from "@tenon/base";
import {
  checkIdentity,
  createHostGuard,
  NodeExchange,
  WebExchange,
  type EventStreamOptions,
  type Exchange,
  type Guard,
  type GuardOptions,
  type NodeRequest,
  type NodeResponse,
} from "@tenon/http/server";
import { isRequest, LocalError, type Connection, type Transport } from "@tenon/jsonrpc2/core";
import { createStreamDecoder, type StreamDecoder } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf } from "@tenon/jsonrpc2/transport";
import type { AuthInfo } from "@tenon/protocol";
import type { EventStore } from "@tenon/stores";

import { HeaderName } from "../shared/names.ts";
import { refuseDenied } from "./authorization.ts";
import { checkPost } from "./check-post.ts";
import { checkRevision } from "./check-revision.ts";
import { checkSessionId } from "./check-session-id.ts";
import { answerFailure } from "./failure.ts";
import { Heartbeat } from "./heartbeat.ts";
import { streamableServerLimits, type StreamableServerLimits } from "./limits.ts";
import type { ServeContext, StatelessHandlerOptions } from "./options.ts";
import { noSession, refusal, refuse, type Refusal } from "./refusal.ts";
import { RequestInfo } from "./request-info.ts";
import { serveStream } from "./session-stream.ts";
import { Session } from "./session.ts";

/** Options of {@link StreamableServerTransport}. */
export interface StreamableServerOptions extends GuardOptions, Pick<StatelessHandlerOptions, "authorize"> {
  /** Visible ASCII, unguessable. Default: 128 random bits. @source R-361 */
  readonly sessionId?: string | undefined;
  /**
   * Stores sent messages, so that a client can resume a stream after its connection is lost. By
   * default streams cannot be resumed.
   *
   * @source R-360
   */
  readonly eventStore?: EventStore | undefined;
  /** Limits on messages and event streams. Each limit has its own default. */
  readonly limits?: StreamableServerLimits | undefined;
  /**
   * The handling of events while the client does not read its stream: see {@link
   * EventStreamOptions.whenFull}. Default: `"wait"`.
   */
  readonly whenFull?: EventStreamOptions["whenFull"];
  /** Called once when the session has ended: by DELETE, by `close`, or by the server. */
  readonly onClosed?: (() => void) | undefined;
  /**
   * Called with errors that are not returned to a caller. Default: `console.error`; `() => {}`
   * silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * One legacy session over HTTP, for programs that route requests and keep sessions themselves.
 * Create one for the POST with `initialize`, pass it that request and every later request with its
 * `sessionId`, and connect a server to it. `createStreamableHandler` does all this, and also serves
 * modern requests, which have no sessions.
 *
 * The session belongs to the principal of its first request: requests of other principals get
 * "session not found".
 *
 * @example
 * const transport = new StreamableServerTransport();
 * await server.connect(transport);
 * const response = await transport.fetch(request);
 *
 * @source S-036, R-793
 */
export class StreamableServerTransport implements Transport, AsyncDisposable {
  readonly sessionId: string;
  readonly #session: Session;
  readonly #guard: Guard;
  readonly #authorize: StatelessHandlerOptions["authorize"];
  readonly #decode: StreamDecoder;
  readonly #body: { readonly maxBytes: number; readonly timeoutMs: number };
  readonly #onError: (error: unknown) => void;
  readonly #stallMs: number;
  #opened: { readonly principal: string | undefined } | undefined;
  #connected = false;
  #closed = false;

  /**
   * A session that is not open yet.
   *
   * @throws `TypeError` for options that do not exist or are out of range; `LocalError`
   *   `INVALID_STATE` if `sessionId` is not visible ASCII.
   */
  constructor(options: StreamableServerOptions = {}) {
    checkOptionNames(
      "new StreamableServerTransport",
      options,
      [
        "allowedHosts allowedOrigins authorize:function sessionId eventStore limits whenFull",
        "onClosed onError",
      ],
      streamableServerLimits,
    );
    const limits = readLimits(options.limits, streamableServerLimits);
    const { eventStore, onClosed, whenFull } = options;
    this.sessionId = checkSessionId(options.sessionId ?? crypto.randomUUID(), "The option sessionId");
    this.#guard = createHostGuard(options);
    this.#authorize = options.authorize;
    this.#body = { maxBytes: limits.maxMessageBytes, timeoutMs: limits.bodyTimeoutMs };
    this.#decode = createStreamDecoder(decodeLimitsOf(limits));
    const onError = errorSink(options.onError);
    this.#onError = onError;
    this.#stallMs = limits.stallMs;
    this.#session = new Session(
      { sessionId: this.sessionId, principal: undefined },
      {
        heartbeat: new Heartbeat(limits.heartbeatMs, onError),
        streams: { limits, whenFull },
        eventStore,
        retryMs: limits.retryMs,
        held: { length: 0 },
        onError,
      },
      {
        ended: () => {
          this.#closed = true;
          onClosed?.();
        },
      },
    );
  }

  /**
   * Whether a client is connected: it waits for the response to a request, or has a stream open. Do
   * not end or evict a busy session. If its client disconnects, a request continues, but the
   * session is not busy any more.
   */
  get busy(): boolean {
    return this.#session.busy;
  }

  /** Serves a web-standard request. Never rejects. */
  fetch(request: Request, context: ServeContext = {}): Promise<Response> {
    const exchange = new WebExchange(request);
    void this.serve(exchange, context);
    return exchange.response;
  }

  /**
   * Serves a request of `node:http`, or of a framework that extends it. Resolves when the request
   * is routed, not when the response is sent. Never rejects.
   */
  node(request: NodeRequest, response: NodeResponse, context: ServeContext = {}): Promise<void> {
    return this.serve(new NodeExchange(request, response, context.parsedBody, this.#stallMs), context);
  }

  /** Serves a request of any runtime. Never rejects. */
  async serve(exchange: Exchange, { auth }: ServeContext): Promise<void> {
    try {
      checkIdentity(auth);
      const refused = await this.#serve(exchange, auth);
      if (refused !== undefined) {
        refuse(exchange, refused, refused.status === 405 ? { allow: "POST, GET, DELETE" } : {});
      }
    } catch (error) {
      answerFailure(exchange, error, {}, this.#onError);
    }
  }

  /**
   * The server's side of the session.
   *
   * @throws `LocalError` `INVALID_STATE` the second time.
   * @source S-037
   */
  connect(): Promise<Connection> {
    if (this.#connected) {
      return Promise.reject(new LocalError("INVALID_STATE", "This transport is connected already."));
    }
    this.#connected = true;
    return Promise.resolve(this.#session);
  }

  /** Ends the session and its streams. */
  close(): Promise<void> {
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(exchange: Exchange, auth: AuthInfo | undefined): Promise<Refusal | undefined> {
    const problem = this.#guard(exchange);
    if (problem !== undefined) {
      return refusal(403, -32600, problem);
    }
    switch (exchange.method) {
      case "POST":
        return this.#post(exchange, auth);
      case "GET":
      case "DELETE": {
        const refused = this.#stranger(exchange, auth);
        if (refused !== undefined) {
          return refused;
        }
        if (exchange.method === "GET") {
          await serveStream(this.#session, exchange, {}, auth);
        } else {
          await this.close();
          exchange.respond(204, {});
        }
        return undefined;
      }
      default:
        return refusal(405, -32600, `A session does not serve ${exchange.method.slice(0, 20)}`);
    }
  }

  async #post(exchange: Exchange, auth: AuthInfo | undefined): Promise<Refusal | undefined> {
    const refused = checkPost(exchange);
    if (refused !== undefined) {
      return refused;
    }
    const incoming = await this.#decode(await exchange.body(this.#body));
    const call = { exchange, info: new RequestInfo(exchange, auth), headers: {} };
    const opens = isRequest(incoming) && incoming.method === "initialize" && this.#opened === undefined;
    const isFirst = opens && !this.#closed;
    const stranger = isFirst ? undefined : this.#stranger(exchange, auth);
    if (stranger !== undefined) {
      return stranger;
    }
    if (this.#authorize !== undefined && refuseDenied(this.#authorize, incoming, call)) {
      return undefined;
    }
    if (isFirst) {
      this.#opened = { principal: auth?.principal };
      this.#session.take(incoming, { ...call, headers: { [HeaderName.sessionId]: this.sessionId } });
    } else {
      this.#session.take(incoming, call);
    }
    return undefined;
  }

  /**
   * Whether a request is refused because it is not one of this session.
   *
   * @source
   */
  #stranger(exchange: Exchange, auth: AuthInfo | undefined): Refusal | undefined {
    const named = exchange.header(HeaderName.sessionId);
    if (named === undefined) {
      return refusal(400, -32600, "The request names no session (Mcp-Session-Id)");
    }
    const mine =
      this.#opened !== undefined &&
      !this.#closed &&
      named === this.sessionId &&
      this.#opened.principal === auth?.principal;
    return mine ? checkRevision(exchange) : noSession;
  }
}
