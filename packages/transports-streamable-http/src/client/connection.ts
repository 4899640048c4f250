import {
  createHttpClient,
  fetchWire,
  isHttpError,
  platformWire,
  Running,
  statusError,
  type HeadersLike,
  type HttpClient,
  type WireResponse,
} from "@tenon/http/client";
import {
  isMany,
  accepted,
  connectionClosed,
  createDecoder,
  MessageQueue,
  type Connection,
  type Incoming,
  type Message,
  type Notification,
  type Outgoing,
  type Request,
  type RequestId,
} from "@tenon/jsonrpc2";

import { isRecord, modernVersion } from "../shared/meta.ts";
import { HeaderName, MediaType, TransportCode } from "../shared/names.ts";
import { processEras, type EraCache } from "./era-cache.ts";
import { SessionLostError } from "./error.ts";
import { isRepeatable, LegacySession } from "./legacy-session.ts";
import { listen, type ListenerOwner } from "./listener.ts";
import type { ListeningState, ReconnectOptions, StreamableClientOptions } from "./options.ts";
import { refreshTools } from "./refresh-tools.ts";
import { reopen } from "./reopen.ts";
import { legacyHeaders, modernHeaders } from "./request-headers.ts";
import { Sender, sendOneWay, type SenderOwner } from "./sender.ts";
import { ToolBook } from "./tool-book.ts";

/** How long a client that goes waits for the server to forget its session, in milliseconds. */
const farewellMs = 1000;
/** How long the end of the handshake waits for the listening stream, so that nothing sent right after it is missed, in milliseconds. */
const listenMs = 500;
/** Statuses of a server that does not know this transport. */
const unknownTransport: ReadonlySet<number> = new Set([400, 404, 405]);

/** A client's connection: every message is a POST of its own, and what comes back is read in the order of its arrival. */
export class ClientConnection implements Connection, SenderOwner, ListenerOwner {
  readonly url: URL;
  readonly http: HttpClient;
  readonly maxResponseBytes: number;
  readonly maxEventLength: number;
  readonly reconnect: ReconnectOptions;
  readonly #options: StreamableClientOptions;
  readonly #eras: EraCache | undefined;
  readonly #inbox: MessageQueue;
  readonly #tools: ToolBook;
  readonly #running = new Map<
    RequestId,
    { readonly modern: boolean; readonly controller: AbortController }
  >();
  readonly #decode: (input: string) => Incoming;
  readonly #private = new Running();
  #session: LegacySession | undefined;
  #restoring: Promise<void> | undefined;
  #listening: AbortController | undefined;
  #fallback: Connection | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, options: StreamableClientOptions) {
    const { fetch, headers, auth, maxResponseBytes = 32 * 1024 * 1024, maxQueued = 1024 } = options;
    this.url = url;
    this.#options = options;
    this.http = createHttpClient({
      wire: fetch === undefined ? platformWire : fetchWire(fetch),
      headers,
      auth,
    });
    this.maxResponseBytes = maxResponseBytes;
    this.maxEventLength = maxResponseBytes;
    this.reconnect = options.reconnect ?? {};
    this.#eras = options.eras === false ? undefined : (options.eras ?? processEras);
    this.#inbox = new MessageQueue(maxQueued);
    this.#decode = createDecoder({ maxBytes: maxResponseBytes });
    this.#tools = new ToolBook(options.onWarning ?? ((message) => console.warn(message)));
  }

  get sessionId(): string | undefined {
    return this.#session?.id ?? this.#fallback?.sessionId;
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  /** A request counts as accepted when it is answered; until then the promise may reject, and the request with it. */
  write(message: Outgoing): Promise<void> {
    if (this.#private.ended) {
      return Promise.reject(connectionClosed());
    }
    if (this.#fallback !== undefined) {
      return this.#fallback.write(message);
    }
    if (isMany(message) || !("method" in message)) {
      return this.#tell(message);
    }
    return "id" in message ? this.#ask(message) : this.#notify(message);
  }

  close(reason?: unknown): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  receive(incoming: Incoming | string): Promise<void> | undefined {
    return this.#inbox.put(typeof incoming === "string" ? this.#decode(incoming) : incoming);
  }

  get(lastEventId: string | undefined, signal: AbortSignal): Promise<WireResponse> {
    const headers: HeadersLike = {
      ...this.#session?.headers,
      accept: MediaType.events,
      ...(lastEventId === undefined ? {} : { [HeaderName.lastEventId]: lastEventId }),
    };
    return this.http({ url: this.url, method: "GET", headers, signal });
  }

  onState(state: ListeningState): void {
    this.#options.onListening?.(state);
  }

  onLost(): void {
    const session = this.#session;
    if (session?.id !== undefined) {
      this.#restore(session).catch(() => {});
    }
  }

  async #tell(message: Message | readonly Message[]): Promise<void> {
    await this.#send(message, legacyHeaders(this.#session));
  }

  #notify(notification: Notification): Promise<void> {
    const { method, params } = notification;
    if (method === "notifications/cancelled" && isRecord(params)) {
      return this.#cancel(notification, params["requestId"] as RequestId);
    }
    if (method === "notifications/initialized") {
      return this.#initialized(notification);
    }
    const version = modernVersion(params);
    return typeof version === "string"
      ? this.#send(notification, modernHeaders(notification, version, this.#tools))
      : this.#tell(notification);
  }

  async #send(message: Message | readonly Message[], headers: HeadersLike): Promise<void> {
    await this.#private.run((signal) => sendOneWay(this, message, headers, signal));
  }

  /** T-31: in the modern era the connection is closed, in the legacy era the server is told. */
  async #cancel(notification: Notification, id: RequestId): Promise<void> {
    const running = this.#running.get(id);
    try {
      if (running?.modern !== true && this.#session !== undefined) {
        await this.#tell(notification);
      }
    } finally {
      running?.controller.abort(connectionClosed(undefined, "The request was cancelled."));
    }
  }

  async #initialized(notification: Notification): Promise<void> {
    await this.#tell(notification);
    await this.#listen();
  }

  /** Opens the listening stream; waits for it a little. */
  async #listen(): Promise<void> {
    this.#listening?.abort();
    const controller = new AbortController();
    this.#listening = controller;
    const { signal } = controller;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, listenMs);
      void listen(this, signal, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #ask(request: Request): Promise<void> {
    const version = modernVersion(request.params);
    if (typeof version === "string") {
      if (request.method === "server/discover" && this.#eras?.get(this.url.origin) === "legacy") {
        const message = "This server was of the legacy era a short while ago.";
        return this.receive({ jsonrpc: "2.0", id: request.id, error: { code: -32601, message } }) ?? accepted;
      }
      return this.#askModern(request, version, true);
    }
    return request.method === "initialize" ? this.#open(request) : this.#askLegacy(request, true);
  }

  async #askModern(request: Request, version: string, mayRefresh: boolean): Promise<void> {
    const listed = request.method === "tools/list";
    let stale = false;
    const refused = await this.#run(request, true, (controller) => ({
      request,
      headers: modernHeaders(request, version, this.#tools),
      signal: controller.signal,
      resumption: () => undefined,
      onAnswer: (answer) => {
        if (listed && "result" in answer) {
          return { ...answer, result: this.#tools.note(answer.result, true) };
        }
        stale = "error" in answer && answer.error.code === TransportCode.HeaderMismatch;
        return answer;
      },
      // the server's idea of the headers may be newer than ours, so it is asked for it before the caller is told.
      ...(request.method === "tools/call" && mayRefresh
        ? {
            hold: (answer: Message) =>
              "error" in answer && answer.error.code === TransportCode.HeaderMismatch,
          }
        : {}),
    }));
    if (stale && mayRefresh && request.method === "tools/call") {
      await this.#private.run((signal) => refreshTools(this, request, version, this.#tools, signal));
      await this.#askModern(request, version, false);
      return;
    }
    if (refused !== undefined) {
      throw await statusError(refused, this.url);
    }
  }

  async #askLegacy(request: Request, mayRepeat: boolean): Promise<void> {
    await this.#restoring?.catch(() => {});
    const session = this.#session;
    const inSession = session?.id !== undefined;
    const refused = await this.#run(request, false, (controller) => ({
      request,
      headers: legacyHeaders(session),
      signal: controller.signal,
      resumption: () => (inSession ? session.headers : undefined),
      onAnswer: (answer) =>
        request.method === "tools/list" && "result" in answer
          ? { ...answer, result: this.#tools.note(answer.result, false) }
          : answer,
    })).catch((error: unknown) => {
      // The stream of the answer cannot be resumed because its session is gone.
      if (inSession && isHttpError(error, "STATUS") && error.status === 404) {
        return "lost" as const;
      }
      throw error;
    });
    if (refused === undefined) {
      session?.note(request);
      return;
    }
    if (refused !== "lost" && (refused.status !== 404 || !inSession)) {
      throw await statusError(refused, this.url);
    }
    if (refused !== "lost") {
      refused.discard();
    }
    await this.#afterLoss(session as LegacySession, request, mayRepeat);
  }

  /** opens a new session, and sends the request again if that does no harm. */
  async #afterLoss(session: LegacySession, request: Request, mayRepeat: boolean): Promise<void> {
    try {
      await this.#restore(session);
    } catch (cause) {
      throw new SessionLostError(request.method, { cause });
    }
    const name = isRecord(request.params) ? request.params["name"] : undefined;
    const harmless =
      isRepeatable(request.method) || (request.method === "tools/call" && this.#tools.isRepeatable(name));
    if (!mayRepeat || !harmless) {
      throw new SessionLostError(request.method);
    }
    await this.#askLegacy(request, false);
  }

  /** One new session for all requests that found the old one gone. */
  #restore(lost: LegacySession): Promise<void> {
    if (this.#session !== lost) {
      return this.#restoring ?? accepted;
    }
    this.#restoring ??= this.#replace(lost).finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #replace(lost: LegacySession): Promise<void> {
    this.#session = await this.#private.run((signal) => reopen(this, lost, signal));
    await this.#listen();
    this.#options.onSessionRestored?.();
  }

  /** The handshake, or what is left of it: a server that knows no Streamable HTTP may know HTTP+SSE. */
  async #open(request: Request): Promise<void> {
    const session = new LegacySession(request);
    let id: string | undefined;
    const refused = await this.#run(request, false, (controller) => ({
      request,
      headers: legacyHeaders(undefined),
      signal: controller.signal,
      resumption: () => (id === undefined ? undefined : { [HeaderName.sessionId]: id }),
      onResponse: (response) => {
        id = response.status === 200 ? response.header(HeaderName.sessionId) : undefined;
      },
      onAnswer: (answer) => {
        if ("result" in answer) {
          session.opened(id, answer.result);
          this.#session = session;
          this.#eras?.set(this.url.origin, "legacy");
        } else {
          this.#eras?.delete(this.url.origin);
        }
        return answer;
      },
    }));
    if (refused === undefined) {
      return;
    }
    this.#eras?.delete(this.url.origin);
    const error = await statusError(refused, this.url);
    if (this.#options.fallback === undefined || !unknownTransport.has(refused.status)) {
      throw error;
    }
    await this.#fallBack(request, error);
  }

  async #fallBack(request: Request, refusal: unknown): Promise<void> {
    const { fallback, ...options } = this.#options;
    let connection: Connection;
    try {
      const transport = (fallback as NonNullable<typeof fallback>)(this.url, options);
      connection = await this.#private.run((signal) => transport.connect({ signal }));
    } catch {
      throw refusal;
    }
    this.#fallback = connection;
    this.#eras?.set(this.url.origin, "legacy");
    void this.#forward(connection);
    await connection.write(request);
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
    await this.close(failure);
  }

  /** Sends a request and keeps it cancellable until it is answered. */
  async #run(
    request: Request,
    modern: boolean,
    sending: (controller: AbortController) => ConstructorParameters<typeof Sender>[1],
  ): Promise<WireResponse | undefined> {
    const controller = new AbortController();
    this.#running.set(request.id, { modern, controller });
    try {
      return await new Sender(this, sending(controller)).send();
    } finally {
      this.#running.delete(request.id);
    }
  }

  async #close(reason: unknown): Promise<void> {
    const session = this.#session;
    this.#private.abort(connectionClosed(reason));
    this.#listening?.abort(connectionClosed(reason));
    for (const { controller } of this.#running.values()) {
      controller.abort(connectionClosed(reason));
    }
    this.#inbox.end({ discard: true });
    await this.#fallback?.close(reason);
    if (session?.id !== undefined) {
      await this.#sayGoodbye(session);
    }
  }

  /** A server that does not answer is left alone. */
  async #sayGoodbye({ headers }: LegacySession): Promise<void> {
    try {
      const signal = AbortSignal.timeout(farewellMs);
      const response = await this.http({ url: this.url, method: "DELETE", headers, signal });
      response.discard();
    } catch {
      // The session ends by itself after a while.
    }
  }
}
