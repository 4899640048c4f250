import { checkOptionNames, errorSink, readLimits } from "@tenon/base";
import {
  FrontDoor,
  NodeExchange,
  WebExchange,
  type EventStreamOptions,
  type Exchange,
  type GuardOptions,
  type NodeRequest,
  type NodeResponse,
  type Visit,
} from "@tenon/http/server";
import { LocalError, type Connection, type Incoming, type Transport } from "@tenon/jsonrpc2/core";
import { createStreamDecoder, type StreamDecoder } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf } from "@tenon/jsonrpc2/transport";
import type { AuthInfo } from "@tenon/protocol";
import type { EventStore } from "@tenon/stores";

import { HeaderName } from "../shared/names.ts";
import { refuseDenied } from "./authorization.ts";
import { callOf, type Call } from "./call.ts";
import { refusePost } from "./check-post.ts";
import { checkRevision } from "./check-revision.ts";
import { Heartbeat } from "./heartbeat.ts";
import { isOpening } from "./incoming.ts";
import { streamableServerLimits, type StreamableServerLimits } from "./limits.ts";
import type { ServeContext, StatelessHandlerOptions } from "./options.ts";
import { noSession, refusal, refuse, refuseVisit, unnamed } from "./refusal.ts";
import { serveStream } from "./serve-stream.ts";
import { checkSessionId } from "./session-id.ts";
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
  readonly #door: FrontDoor<AuthInfo>;
  readonly #authorize: StatelessHandlerOptions["authorize"];
  readonly #decode: StreamDecoder;
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
    const onError = errorSink(options.onError);
    const { allowedHosts, allowedOrigins } = options;
    this.#door = new FrontDoor({
      allowedHosts,
      allowedOrigins,
      body: { maxBytes: limits.maxMessageBytes, timeoutMs: limits.bodyTimeoutMs },
      refuse: refuseVisit,
      greet: refusePost,
      onError,
    });
    this.#authorize = options.authorize;
    this.#decode = createStreamDecoder(decodeLimitsOf(limits));
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
  serve(exchange: Exchange, { auth }: ServeContext): Promise<void> {
    return this.#door.serve(exchange, auth, this.#admit);
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

  readonly #admit = (visit: Visit<AuthInfo>): Promise<void> | undefined => {
    const { exchange, headers } = visit;
    switch (exchange.method) {
      case "POST":
        return this.#door.read(visit, this.#decode, this.#take);
      case "GET":
      case "DELETE":
        return this.#stream(callOf(visit));
      default: {
        const message = `A session does not serve ${exchange.method.slice(0, 20)}`;
        refuse(exchange, refusal(405, message), { ...headers, allow: "POST, GET, DELETE" });
        return undefined;
      }
    }
  };

  readonly #take = (incoming: Incoming, visit: Visit<AuthInfo>): undefined => {
    const call = callOf(visit);
    const opens = isOpening(incoming) && this.#opened === undefined && !this.#closed;
    if (!opens && this.#isStranger(call)) {
      return undefined;
    }
    if (this.#authorize !== undefined && refuseDenied(this.#authorize, incoming, call)) {
      return undefined;
    }
    const headers = opens ? { ...call.headers, [HeaderName.sessionId]: this.sessionId } : call.headers;
    if (opens) {
      this.#opened = { principal: visit.auth?.principal };
    }
    this.#session.take(incoming, { ...call, headers });
    return undefined;
  };

  async #stream(call: Call): Promise<void> {
    if (this.#isStranger(call)) {
      return;
    }
    if (call.exchange.method === "GET") {
      await serveStream(this.#session, call);
    } else {
      await this.close();
      call.exchange.respond(204, call.headers);
    }
  }

  /**
   * Refuses a request that is not one of this session.
   *
   * @returns Whether it was refused.
   * @source
   */
  #isStranger({ exchange, headers, info, version }: Call): boolean {
    const named = exchange.header(HeaderName.sessionId);
    const isOwn =
      this.#opened !== undefined &&
      !this.#closed &&
      named === this.sessionId &&
      this.#opened.principal === info.auth?.principal;
    const refused = named === undefined ? unnamed : isOwn ? checkRevision(version) : noSession;
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
    }
    return refused !== undefined;
  }
}
