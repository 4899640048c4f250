import { checkOptionNames, errorSink, readLimits, type ResolvedLimits } from "@tenon/base";
import {
  checkIdentity,
  createHostGuard,
  denialFor,
  denialHeaders,
  describeDenial,
  endpointLimits,
  EventStream,
  headersFor,
  isHttpError,
  mediaType,
  NodeExchange,
  watchExpiry,
  WebExchange,
  type Authorize,
  type EndpointLimits,
  type EventStreamOptions,
  type Exchange,
  type Expiry,
  type Guard,
  type GuardOptions,
  type HeaderFields,
  type NodeRequest,
  type NodeResponse,
} from "@tenon/http/server";
import {
  connectionClosed,
  encode,
  isBatch,
  isMalformed,
  LocalError,
  withExtra,
  type Connection,
  type Incoming,
  type Network,
  type Outgoing,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { createDecoder } from "@tenon/jsonrpc2/decode";
import { MessageQueue, writeAccepted } from "@tenon/jsonrpc2/transport";
import type { AuthInfo, HttpRequestInfo } from "@tenon/protocol";
import { canonicalMessage } from "@tenon/uri-template/canonical-parts";

/** Options of {@link SSEServerTransport}. */
export interface SSEServerOptions extends GuardOptions {
  /**
   * The address to which the client sends its messages: a path with a query, or a URL of the same
   * origin.
   *
   * @source R-381
   */
  readonly endpoint: string;
  /** Names the session: unguessable. Default: 128 random bits. */
  readonly sessionId?: string | undefined;
  /** Limits on messages and the event stream. Each limit has its own default. */
  readonly limits?: EndpointLimits | undefined;
  /**
   * The handling of events while the client does not read its stream: see
   * {@link EventStreamOptions.whenFull}. Default: `"wait"`.
   */
  readonly whenFull?: EventStreamOptions["whenFull"];
  /**
   * Decides whether the sender of a message may do what it asks for: see `authorize` of
   * `createStreamableHandler`. Default: every sender may do everything.
   */
  readonly authorize?: Authorize<AuthInfo> | undefined;
  /** Called once when the session has ended. */
  readonly onClosed?: (() => void) | undefined;
  /**
   * Called with errors that are not returned to a caller. Default: `console.error`; `() => {}`
   * silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Maximum number of received messages that the server has not read yet. */
const maxQueued = 1024;

/**
 * The connection of one client over HTTP+SSE: a GET request that stays open for messages of the
 * server, and a POST for each message of the client. `createSSEHandler` makes one per GET. Use this
 * class if you route requests yourself.
 *
 * The session belongs to the principal of its GET: requests of other principals get "session not
 * found". `Host` and `Origin` are checked.
 *
 * @source S-027…S-032, R-281, R-793, R-798
 */
export class SSEServerTransport implements Transport, Connection {
  readonly network: Network = { transport: "tcp", protocol: "http" };
  readonly sessionId: string;
  readonly #options: SSEServerOptions;
  readonly #limits: ResolvedLimits<EndpointLimits>;
  readonly #decode: (input: string | Uint8Array) => Incoming;
  readonly #guard: Guard;
  readonly #onError: (error: unknown) => void;
  readonly #inbox = new MessageQueue(maxQueued);
  /** `undefined` if there never was a stream. */
  readonly #opened: Promise<EventStream | undefined>;
  #open: (stream: EventStream | undefined) => void = () => {};
  #stream: EventStream | undefined;
  #principal: string | undefined;
  #expiry: Expiry | undefined;
  #connected = false;
  #closed = false;

  /**
   * A session that is not open yet.
   *
   * @throws `TypeError` for options that do not exist or are out of range.
   */
  constructor(options: SSEServerOptions) {
    checkOptionNames(
      "new SSEServerTransport",
      options,
      [
        "endpoint sessionId limits whenFull authorize:function onClosed onError allowedHosts",
        "allowedOrigins",
      ],
      endpointLimits,
    );
    this.#limits = readLimits(options.limits, endpointLimits);
    this.#decode = createDecoder({ maxMessageBytes: this.#limits.maxMessageBytes });
    this.sessionId = options.sessionId ?? crypto.randomUUID();
    this.#options = options;
    this.#guard = createHostGuard(options);
    this.#onError = errorSink(options.onError);
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Serves the GET that opens the stream, and the POSTs that follow. Never rejects. */
  async fetch(request: Request, context: { readonly auth?: AuthInfo | undefined } = {}): Promise<Response> {
    const exchange = new WebExchange(request);
    await this.serve(exchange, {}, context.auth);
    return exchange.response;
  }

  /** The same for `node:http`. */
  node(
    request: NodeRequest,
    response: NodeResponse,
    context: { readonly auth?: AuthInfo | undefined; readonly parsedBody?: unknown } = {},
  ): Promise<void> {
    const { stallMs } = this.#limits;
    return this.serve(new NodeExchange(request, response, context.parsedBody, stallMs), {}, context.auth);
  }

  /** The same for any runtime. Never rejects. */
  async serve(exchange: Exchange, headers: HeaderFields, auth?: AuthInfo): Promise<void> {
    try {
      checkIdentity(auth);
      const problem = this.#guard(exchange);
      if (problem !== undefined) {
        exchange.respond(403, { ...headers, "content-type": "text/plain" }, problem);
      } else if (exchange.method === "GET") {
        await this.#listen(exchange, headers, auth);
      } else if (exchange.method === "POST") {
        await this.#take(exchange, headers, auth);
      } else {
        exchange.respond(405, { ...headers, allow: "GET, POST" });
      }
    } catch (error) {
      this.#fail(exchange, headers, error);
    }
  }

  /** @throws `LocalError` `INVALID_STATE` the second time. */
  connect(): Promise<Connection> {
    if (this.#connected) {
      return Promise.reject(new LocalError("INVALID_STATE", "This transport is connected already."));
    }
    this.#connected = true;
    return Promise.resolve(this);
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  async write(message: Outgoing): Promise<void> {
    if (this.#closed) {
      throw connectionClosed();
    }
    const stream = this.#stream ?? (await this.#opened);
    if (stream === undefined || stream.closed) {
      throw connectionClosed();
    }
    await (stream.send({ event: "message", data: encode(message) }) ?? writeAccepted);
  }

  /** Ends the GET. @source S-030 */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#expiry?.cancel();
      this.#inbox.end({ discard: true });
      this.#stream?.end();
      this.#open(undefined);
      try {
        this.#options.onClosed?.();
      } catch (error) {
        this.#onError(error);
      }
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Keeps an idle stream open. */
  beat(): void {
    this.#stream?.comment("still here");
  }

  #fail(exchange: Exchange, headers: HeaderFields, error: unknown): void {
    const status = isHttpError(error) ? statuses.get(error.code) : undefined;
    if (status === undefined) {
      this.#onError(error);
    }
    try {
      exchange.respond(status ?? 500, headers);
    } catch (cause) {
      this.#onError(cause);
    }
  }

  async #listen(exchange: Exchange, headers: HeaderFields, auth: AuthInfo | undefined): Promise<void> {
    if (this.#stream !== undefined || this.#closed) {
      exchange.respond(409, headers);
      return;
    }
    let stream: EventStream;
    try {
      stream = new EventStream(exchange, headers, {
        limits: this.#limits,
        whenFull: this.#options.whenFull,
      });
    } catch (error) {
      // The client got another response and will not use this session.
      await this.close();
      throw error;
    }
    this.#stream = stream;
    this.#principal = auth?.principal;
    this.#expiry = watchExpiry(auth, () => void this.close());
    exchange.onDisconnect(() => {
      stream.disconnected();
      this.#expiry?.cancel();
      this.#inbox.end();
    });
    // S-031: before anything else.
    void stream.send({ event: "endpoint", data: this.#options.endpoint })?.catch(() => {});
    this.#open(stream);
  }

  async #take(exchange: Exchange, headers: HeaderFields, auth: AuthInfo | undefined): Promise<void> {
    if (this.#stream === undefined || this.#stream.closed || this.#principal !== auth?.principal) {
      exchange.respond(404, { ...headers, "content-type": "text/plain" }, "Session not found");
      return;
    }
    if (mediaType(exchange.header("content-type")) !== "application/json") {
      exchange.respond(415, headers);
      return;
    }
    const { maxMessageBytes, bodyTimeoutMs } = this.#limits;
    const body = await exchange.body({ maxBytes: maxMessageBytes, timeoutMs: bodyTimeoutMs });
    const incoming = this.#decode(body);
    if (isMalformed(incoming)) {
      exchange.respond(400, { ...headers, "content-type": "text/plain" }, incoming.malformed.message);
    } else if (this.#inbox.length >= maxQueued) {
      exchange.respond(503, { ...headers, "retry-after": "1" });
    } else if (this.#stream.closed) {
      exchange.respond(404, headers);
    } else if (!this.#refuseDenied(incoming, exchange, headers, auth)) {
      exchange.respond(202, { ...headers, "content-type": "text/plain" }, "Accepted");
      // The stream is that of the session: it lives as long as its client has credentials.
      this.#expiry?.extend(auth);
      void this.#inbox.put(withExtra(incoming, { auth, http: requestFor(exchange, auth) }));
    }
  }

  /**
   * Answers a POST whose sender may not do what it asks for.
   *
   * @returns Whether it was refused.
   * @source R-728
   */
  #refuseDenied(
    incoming: Incoming,
    exchange: Exchange,
    headers: HeaderFields,
    auth: AuthInfo | undefined,
  ): boolean {
    const { authorize } = this.#options;
    if (authorize === undefined) {
      return false;
    }
    const sender = { auth, http: requestFor(exchange, auth) };
    const messages = isBatch(incoming) ? incoming.batch : [incoming];
    const denial = denialFor(authorize, messages.map(canonicalMessage), sender);
    if (denial === undefined) {
      return false;
    }
    const id = "method" in incoming && "id" in incoming ? incoming.id : null;
    const error = { code: -32600, message: describeDenial(denial) };
    const fields = { ...headers, ...denialHeaders(denial, auth) };
    exchange.respond(403, fields, encode({ jsonrpc: "2.0", id, error }));
    return true;
  }
}

/** The HTTP request of a message as handlers see it. */
export function requestFor(exchange: Exchange, auth: AuthInfo | undefined): HttpRequestInfo {
  const { method, url, remoteAddress: address } = exchange;
  return { method, url, headers: headersFor(exchange, auth), address };
}

const statuses: ReadonlyMap<unknown, number> = new Map([
  ["BODY_TOO_LARGE", 413],
  ["OVERLOADED", 503],
  ["BODY_TIMEOUT", 408],
  ["UNSUPPORTED_ENCODING", 415],
  ["BODY_INCOMPLETE", 400],
]);
