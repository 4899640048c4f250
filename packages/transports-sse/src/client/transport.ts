import {
  backoff,
  checkOptionNames,
  readLimits,
  reasonOf,
  sleep,
  systemClock,
  type LimitRules,
  type ResolvedLimits,
} from "@tenon/base";
import {
  createHttpClient,
  fetchWire,
  httpUrl,
  networkOf,
  platformWire,
  readEvents,
  statusError,
  untilAccepted,
  type AuthProvider,
  type FetchLike,
  type HeadersLike,
  type HttpClient,
  type ReceivedEvent,
  type WireResponse,
} from "@tenon/http/client";
import { Running } from "@tenon/http/transport";
import {
  connectionClosed,
  encode,
  ErrorCode,
  isMany,
  LocalError,
  type Connection,
  type ConnectOptions,
  type DecodeLimits,
  type Incoming,
  type Message,
  type Network,
  type Outgoing,
  type RequestId,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { createDecoder } from "@tenon/jsonrpc2/decode";
import { decodeLimits, decodeLimitsOf, MessageQueue, writeAccepted } from "@tenon/jsonrpc2/transport";
import { isRepeatable } from "@tenon/protocol";

/** Options of {@link SSEClientTransport}. */
export interface SSEClientOptions {
  /** Sends the requests. Default: `undici` on Node, the platform's `fetch` elsewhere. */
  readonly fetch?: FetchLike | undefined;
  /** Added to every request. */
  readonly headers?: HeadersLike | undefined;
  /**
   * Provides credentials. Called every time a request is sent. By default requests are
   * unauthenticated.
   */
  readonly auth?: AuthProvider | undefined;
  /** Limits for received messages. Each limit has its own default. */
  readonly limits?: SSEClientLimits | undefined;
}

/** Limits of a {@link SSEClientTransport}. */
export interface SSEClientLimits extends Omit<DecodeLimits, "maxMessageBytes"> {
  /**
   * How long the server may take to send its endpoint, in milliseconds. After it `connect` rejects
   * with `TIMEOUT`. Default: `30_000`.
   *
   * @source S-235
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Maximum length of a message, in characters. A longer message breaks the connection. Default:
   * `33_554_432` (32 Mi).
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Maximum number of received messages that have not been read. Above it, the client stops reading
   * from the server. Default: `1_024`.
   */
  readonly maxQueued?: number | undefined;
}

const limitRules: LimitRules<SSEClientLimits> = {
  ...decodeLimits,
  connectTimeoutMs: [30_000, 1],
  maxMessageBytes: [32 * 1024 * 1024, 1],
  maxQueued: [1024, 1],
};

/**
 * Connects to a server by the transport of 2024-11-05.
 *
 * @deprecated since 2025-03-26: use `StreamableClientTransport`.
 * @source S-033
 */
export class SSEClientTransport implements Transport {
  readonly url: URL;
  /** The provider of credentials in the options. */
  readonly authorization: AuthProvider | undefined;
  readonly #options: SSEClientOptions;
  readonly #limits: ResolvedLimits<SSEClientLimits>;

  /**
   * Does not connect yet.
   *
   * @throws `TypeError` if the URL does not start with http:// or https://, and for options that
   *   do not exist or are out of range.
   */
  constructor(url: string | URL, options: SSEClientOptions = {}) {
    this.url = httpUrl(url);
    this.authorization = options.auth;
    checkOptionNames("new SSEClientTransport", options, "fetch:function headers auth limits", limitRules);
    this.#limits = readLimits(options.limits, limitRules);
    this.#options = options;
  }

  /**
   * Opens the stream and waits for the endpoint.
   *
   * @throws `HttpError`, `LocalError` `TIMEOUT`, `INVALID_STATE` for an endpoint of another origin,
   *   or `signal.reason`.
   * @source R-383
   */
  async connect({ signal }: ConnectOptions = {}): Promise<Connection> {
    signal?.throwIfAborted();
    const { fetch, headers, auth } = this.#options;
    const { connectTimeoutMs, maxMessageBytes } = this.#limits;
    const http = createHttpClient({
      wire: fetch === undefined ? platformWire : fetchWire(fetch),
      headers,
      auth,
    });
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    const giveUp = (): void => {
      const message = `The server named no endpoint within ${connectTimeoutMs} ms (connectTimeoutMs).`;
      controller.abort(new LocalError("TIMEOUT", message));
    };
    const timer = systemClock.setTimeout(giveUp, connectTimeoutMs, true);
    try {
      const response = await http({
        url: this.url,
        method: "GET",
        headers: { accept: "text/event-stream" },
        signal: controller.signal,
      });
      if (response.status !== 200) {
        throw await statusError(response, this.url);
      }
      const events = eventsOf(response, maxMessageBytes);
      const endpoint = await this.#endpoint(events);
      return new SSEConnection(http, endpoint, events, controller, this.#limits);
    } catch (error) {
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
      controller.abort(reason);
      throw reason;
    } finally {
      systemClock.clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #endpoint(events: AsyncIterator<ReceivedEvent>): Promise<URL> {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) {
        throw connectionClosed("The stream ended before the server had named its endpoint.");
      }
      if (value.event === "endpoint") {
        return sameOrigin(value.data, this.url);
      }
    }
  }
}

function eventsOf(
  response: WireResponse,
  maxEventLength: number,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  return readEvents(response.body, { maxEventLength });
}

/** Attempts to deliver the response to a request of the server. */
const delays = { initialDelayMs: 500, maxDelayMs: 10_000 };
const maxRetries = 8;

/** POST requests, which carry credentials, must not be sent to another origin. @source R-383 */
function sameOrigin(endpoint: string, base: URL): URL {
  const url = URL.canParse(endpoint, base.href) ? new URL(endpoint, base) : undefined;
  if (url?.origin !== base.origin) {
    throw new LocalError("INVALID_STATE", "The server named an endpoint of another origin.");
  }
  return url;
}

class SSEConnection implements Connection {
  /** A server would refuse the POST of a response that names no request. */
  readonly answersUnidentified = false;
  readonly #http: HttpClient;
  readonly #endpoint: URL;
  readonly #controller: AbortController;
  readonly #inbox: MessageQueue;
  readonly #running = new Running();
  readonly #decode: (input: string) => Incoming;

  constructor(
    http: HttpClient,
    endpoint: URL,
    events: AsyncGenerator<ReceivedEvent, void, undefined>,
    controller: AbortController,
    limits: ResolvedLimits<SSEClientLimits>,
  ) {
    this.#http = http;
    this.#endpoint = endpoint;
    this.#controller = controller;
    this.#decode = createDecoder(decodeLimitsOf(limits));
    this.#inbox = new MessageQueue(limits.maxQueued);
    void this.#receive(events);
  }

  get network(): Network {
    return networkOf(this.#endpoint);
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  write(message: Outgoing): Promise<void> {
    if (!isMany(message) && !("method" in message) && (message.id === undefined || message.id === null)) {
      // An error without an id, for input that was not a message. A separate POST would not show
      // what it refers to, and servers reject it.
      return writeAccepted;
    }
    return this.#running.run((signal) => this.#post(message, signal));
  }

  close(reason?: unknown): Promise<void> {
    this.#inbox.end({ discard: true });
    this.#running.abort(connectionClosed(undefined, { cause: reason }));
    this.#controller.abort(connectionClosed(undefined, { cause: reason }));
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #post(message: Outgoing, signal: AbortSignal): Promise<void> {
    const url = this.#endpoint;
    const headers = { "content-type": "application/json" };
    // What JSON cannot carry is replaced by the caller, and must not be taken for a lost response.
    const text = encode(message);
    const once = !isRepeatable(message);
    const send = async (body: string): Promise<void> => {
      const response = await this.#http({ url, method: "POST", headers, body, signal, once });
      if (response.status < 200 || response.status >= 300) {
        throw await statusError(response, url);
      }
      response.discard();
    };
    const pause = async (failures: number, asked: number | undefined, error: unknown): Promise<void> => {
      if (failures > maxRetries) {
        throw error;
      }
      const ms = Math.max(backoff(failures - 1, delays), Math.min(asked ?? 0, delays.maxDelayMs));
      await sleep(ms, { signal, keepsAlive: true });
    };
    if ([message].flat().some((each) => "method" in each)) {
      await send(text);
      return;
    }
    try {
      await untilAccepted(() => send(text), pause);
    } catch (error) {
      if (!signal.aborted) {
        await this.#undeliverable(message, send, error);
      }
      throw error;
    }
  }

  /**
   * Sends an error in the place of a response, for which the server would wait. If the server does
   * not accept the error either, the connection ends, and with it the call that needs the response.
   * Which call needs it is not known.
   */
  async #undeliverable(
    message: Outgoing,
    send: (body: string) => Promise<void>,
    cause: unknown,
  ): Promise<void> {
    const text = `The response to a request of the server could not be delivered: ${reasonOf(cause)}`;
    const error = { code: ErrorCode.InternalError, message: text };
    const inPlaceOf = (each: Message): Message => ({
      jsonrpc: "2.0",
      id: (each as { readonly id: RequestId }).id,
      error,
    });
    try {
      await send(encode(isMany(message) ? message.map(inPlaceOf) : inPlaceOf(message)));
    } catch {
      this.#inbox.end({ error: connectionClosed(text, { cause }) });
      this.#controller.abort(cause);
    }
  }

  async #receive(events: AsyncGenerator<ReceivedEvent, void, undefined>): Promise<void> {
    try {
      for await (const { event, data } of events) {
        if (data !== "" && (event === undefined || event === "message")) {
          await this.#inbox.put(this.#decode(data));
        }
      }
      this.#inbox.end();
    } catch (error) {
      this.#inbox.end({ error });
    }
  }
}
