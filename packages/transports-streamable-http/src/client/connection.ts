import { isRecord, readLimits, reasonOf, systemClock, type Clock } from "@tenon/base";
import {
  createHttpClient,
  fetchWire,
  networkOf,
  platformWire,
  type AuthProvider,
  type HttpClient,
} from "@tenon/http/client";
import { Running } from "@tenon/http/transport";
import {
  isMany,
  connectionClosed,
  ErrorCode,
  type Incoming,
  type Notification,
  type Outgoing,
  type Request,
  type RequestId,
  type Connection,
  type Network,
} from "@tenon/jsonrpc2/core";
import { createStreamDecoder, type StreamDecoder } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf, MessageQueue, writeAccepted } from "@tenon/jsonrpc2/transport";
import { modernVersion } from "@tenon/protocol";

import { attempt } from "../shared/attempt.ts";
import { askModern } from "./ask-modern.ts";
import { Calls } from "./calls.ts";
import type { ClientContext } from "./context.ts";
import { noteAnswer, processEras, rememberedEra, type RememberedEra } from "./era-cache.ts";
import { openFallback } from "./fallback.ts";
import type { LegacyLink } from "./legacy-link.lazy.ts";
import { sendOneWay } from "./one-way.ts";
import {
  reconnectLimits,
  streamableClientLimits,
  type StreamReconnect,
  type StreamableClientOptions,
} from "./options.ts";
import { modernHeaders } from "./request-headers.ts";
import { ToolBook } from "./tool-book.ts";

/**
 * A client's connection: every message is a separate POST, and received messages are read in the
 * order of their arrival.
 */
export class ClientConnection implements Connection, ClientContext {
  /** A server would refuse the POST of a response that names no request. */
  readonly answersUnidentified = false;
  readonly url: URL;
  readonly options: StreamableClientOptions;
  readonly http: HttpClient;
  readonly auth: AuthProvider | undefined;
  readonly maxMessageBytes: number;
  readonly decode: StreamDecoder;
  readonly reconnect: StreamReconnect;
  readonly clock: Clock;
  readonly network: Network;
  readonly era: RememberedEra;
  readonly tools: ToolBook;
  readonly calls: Calls;
  readonly own: Running = new Running();
  readonly warn: (message: string) => void;
  readonly #inbox: MessageQueue;
  #legacy: LegacyLink | undefined;
  #loadingLegacy: Promise<LegacyLink> | undefined;
  #fallback: Connection | undefined;
  #closing: Promise<void> | undefined;

  /** @param network - The way to the server, if its URL does not tell it. */
  constructor(
    url: URL,
    options: StreamableClientOptions,
    clock: Clock = systemClock,
    network: Network = networkOf(url),
  ) {
    const { fetch, headers, auth, reconnect } = options;
    const limits = readLimits(options.limits, streamableClientLimits);
    this.url = url;
    this.options = options;
    this.clock = clock;
    this.network = network;
    this.auth = auth;
    this.http = createHttpClient({
      wire: fetch === undefined ? platformWire : fetchWire(fetch),
      headers,
      auth,
    });
    this.maxMessageBytes = limits.maxMessageBytes;
    this.decode = createStreamDecoder(decodeLimitsOf(limits));
    this.reconnect = {
      ...readLimits(reconnect, reconnectLimits),
      maxSilenceMs: reconnect?.maxSilenceMs,
    };
    this.era = rememberedEra(options.eras === false ? undefined : (options.eras ?? processEras), url);
    const { onWarning = (message: string) => console.warn(message) } = options;
    this.warn = (message) =>
      attempt(
        () => onWarning(message),
        () => {},
      );
    this.tools = new ToolBook(this.warn);
    this.calls = new Calls(this);
    this.#inbox = new MessageQueue(limits.maxQueued);
  }

  get sessionId(): string | undefined {
    return this.#legacy?.sessionId ?? this.#fallback?.sessionId;
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  /**
   * A request counts as accepted when its response arrives. Until then the promise may reject, and
   * the request with it.
   */
  write(message: Outgoing): Promise<void> {
    if (this.own.ended) {
      return Promise.reject(connectionClosed());
    }
    if (this.#fallback !== undefined) {
      this.#cancelProbe(message);
      return this.#fallback.write(message);
    }
    if (isMany(message)) {
      return this.#withLegacy((link) => link.tell(message));
    }
    if (!("method" in message)) {
      // An error without an id, for input that was not a message. A separate POST would not show
      // what it refers to, and servers reject it.
      return message.id === undefined || message.id === null
        ? writeAccepted
        : this.#withLegacy((link) => link.tell(message));
    }
    return "id" in message ? this.#ask(message) : this.#notify(message);
  }

  close(reason?: unknown): Promise<void> {
    this.#inbox.end({ discard: true });
    return this.#end(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  receive(incoming: Incoming): Promise<void> | undefined {
    return this.#inbox.put(incoming);
  }

  async #notify(notification: Notification): Promise<void> {
    const { method, params } = notification;
    if (method === "notifications/cancelled" && isRecord(params)) {
      await this.#cancel(notification, params["requestId"] as RequestId);
      return;
    }
    const version = modernVersion(params);
    if (typeof version === "string") {
      const headers = modernHeaders(notification, version, this.tools);
      await this.own.run((signal) => sendOneWay(this, notification, headers, signal));
      return;
    }
    await this.#withLegacy(async (link) => {
      try {
        await link.tell(notification);
      } finally {
        // A client may tolerate that the server refuses the notification.
        if (method === "notifications/initialized") {
          await link.listen();
        }
      }
    });
  }

  /**
   * Closes the connection of the request, or notifies a legacy server.
   *
   * @source, T-31
   */
  async #cancel(notification: Notification, id: RequestId): Promise<void> {
    try {
      if (!this.calls.isModern(id) && this.#legacy?.open === true) {
        await this.#legacy.tell(notification);
      }
    } finally {
      this.calls.cancel(id);
    }
  }

  #ask(request: Request): Promise<void> {
    const version = modernVersion(request.params);
    if (typeof version !== "string") {
      return request.method === "initialize"
        ? this.#open(request)
        : this.#withLegacy((link) => link.ask(request));
    }
    if (request.method === "server/discover" && this.era.skipsDiscovery()) {
      const message = "This server used a legacy protocol version when it was last asked.";
      // A client that finds this to be wrong asks again.
      const error = { code: ErrorCode.MethodNotFound, message, data: { remembered: true } };
      return this.receive({ jsonrpc: "2.0", id: request.id, error }) ?? writeAccepted;
    }
    const asking = askModern(this, request, version);
    return request.method === "server/discover" ? noteAnswer(asking, this.era) : asking;
  }

  /**
   * Does something with the way to a legacy server, whose code is loaded when it is first needed.
   *
   * @throws If it cannot be loaded.
   */
  #withLegacy<T>(work: (link: LegacyLink) => Promise<T>): Promise<T> {
    return this.#legacy === undefined ? this.#loadLegacy().then(work) : work(this.#legacy);
  }

  #loadLegacy(): Promise<LegacyLink> {
    this.#loadingLegacy ??= this.#makeLegacy().finally(() => {
      this.#loadingLegacy = undefined;
    });
    return this.#loadingLegacy;
  }

  async #makeLegacy(): Promise<LegacyLink> {
    const { LegacyLink: Link } = await import("./legacy-link.lazy.ts");
    if (this.own.ended) {
      throw connectionClosed();
    }
    this.#legacy = new Link(this);
    return this.#legacy;
  }

  /** The handshake, or its fallback: a server without Streamable HTTP may support HTTP+SSE. */
  async #open(request: Request): Promise<void> {
    const refused = await this.#withLegacy((link) => link.initialize(request));
    if (refused !== undefined) {
      const connection = await openFallback(this, refused);
      if (this.own.ended) {
        await connection.close();
        throw connectionClosed();
      }
      this.#fallback = connection;
      void this.#forward(connection);
      await connection.write(request);
    }
  }

  /** `server/discover` may still be in flight when the fallback is open. */
  #cancelProbe(message: Outgoing): void {
    if (!isMany(message) && "method" in message && message.method === "notifications/cancelled") {
      const { requestId } = (message.params ?? {}) as { readonly requestId?: RequestId };
      if (requestId !== undefined) {
        this.calls.cancel(requestId);
      }
    }
  }

  async #forward(connection: Connection): Promise<void> {
    let failure: unknown;
    try {
      for (let next = await connection.read(); next !== undefined; next = await connection.read()) {
        await this.#inbox.put(next);
      }
    } catch (error) {
      failure = error;
    }
    // Received messages can still be read.
    this.#inbox.end({ error: failure });
    try {
      await this.#end(failure);
    } catch (error) {
      this.warn(`The fallback could not be closed: ${reasonOf(error)}`);
    }
  }

  #end(reason: unknown): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: unknown): Promise<void> {
    this.own.abort(connectionClosed(undefined, { cause: reason }));
    this.calls.abort(reason);
    await Promise.all([this.#fallback?.close(reason), this.#legacy?.close(reason)]);
  }
}
