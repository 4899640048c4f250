import { checkOptionNames, errorSink, readLimits, type ResolvedLimits } from "@tenon/base";
import {
  endpointLimits,
  EventStream,
  findDenied,
  FrontDoor,
  headersFor,
  mediaType,
  NodeExchange,
  watchExpiry,
  WebExchange,
  type Authorize,
  type EndpointLimits,
  type EventStreamOptions,
  type Exchange,
  type Expiry,
  type GuardOptions,
  type HeaderFields,
  type NodeRequest,
  type NodeResponse,
  type Visit,
} from "@tenon/http/server";
import {
  connectionClosed,
  encode,
  ErrorCode,
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

import { refuse } from "./refuse.ts";

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
  readonly #door: FrontDoor<AuthInfo>;
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
    this.#onError = errorSink(options.onError);
    const { allowedHosts, allowedOrigins } = options;
    const { maxMessageBytes: maxBytes, bodyTimeoutMs: timeoutMs } = this.#limits;
    this.#door = new FrontDoor({
      allowedHosts,
      allowedOrigins,
      body: { maxBytes, timeoutMs },
      refuse,
      onError: this.#onError,
    });
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
  serve(exchange: Exchange, headers: HeaderFields, auth?: AuthInfo): Promise<void> {
    return this.#door.serve(exchange, auth, (visit) => this.#admit(visit), headers);
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

  #admit(visit: Visit<AuthInfo>): Promise<void> | undefined {
    const { exchange, headers } = visit;
    switch (exchange.method) {
      case "GET":
        return this.#listen(visit);
      case "POST":
        return this.#post(visit);
      default:
        exchange.respond(405, { ...headers, allow: "GET, POST" });
        return undefined;
    }
  }

  async #listen({ exchange, headers, auth }: Visit<AuthInfo>): Promise<void> {
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

  #post(visit: Visit<AuthInfo>): Promise<void> | undefined {
    const { exchange, headers, auth } = visit;
    if (this.#stream === undefined || this.#stream.closed || this.#principal !== auth?.principal) {
      refuse(exchange, 404, "Session not found", headers);
    } else if (mediaType(exchange.header("content-type")) !== "application/json") {
      refuse(exchange, 415, "The Content-Type of a message must be application/json", headers);
    } else {
      return this.#door.read(visit, this.#decode, (incoming) => this.#take(incoming, visit));
    }
    return undefined;
  }

  #take(incoming: Incoming, { exchange, headers, auth }: Visit<AuthInfo>): undefined {
    if (isMalformed(incoming)) {
      refuse(exchange, 400, incoming.malformed.message, headers);
    } else if (this.#inbox.length >= maxQueued) {
      refuse(exchange, 503, "Too many messages are waiting in this session", headers);
    } else if (this.#stream?.closed !== false) {
      refuse(exchange, 404, "Session not found", headers);
    } else if (!this.#refuseDenied(incoming, exchange, headers, auth)) {
      exchange.respond(202, { ...headers, "content-type": "text/plain" }, "Accepted");
      // The stream is that of the session: it lives as long as its client has credentials.
      this.#expiry?.extend(auth);
      void this.#inbox.put(withExtra(incoming, { auth, http: requestFor(exchange, auth) }));
    }
  }

  /**
   * Refuses a POST whose sender lacks the rights for it.
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
    const denied = findDenied(authorize, messages.map(canonicalMessage), sender);
    if (denied === undefined) {
      return false;
    }
    const id = "method" in incoming && "id" in incoming ? incoming.id : null;
    const error = { code: ErrorCode.InvalidRequest, message: denied.message };
    exchange.respond(403, { ...headers, ...denied.headers }, encode({ jsonrpc: "2.0", id, error }));
    return true;
  }
}

/** The HTTP request of a message as handlers see it. */
export function requestFor(exchange: Exchange, auth: AuthInfo | undefined): HttpRequestInfo {
  const { method, url, remoteAddress: address } = exchange;
  return { method, url, headers: headersFor(exchange, auth), address };
}
