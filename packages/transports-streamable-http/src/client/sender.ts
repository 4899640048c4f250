import {
  HttpError,
  isHttpError,
  mediaType,
  readEvents,
  readText,
  statusError,
  withText,
  type HeadersLike,
  type HttpClient,
  type WireResponse,
} from "@tenon/http/client";
import {
  encode,
  isMalformed,
  LocalError,
  type Incoming,
  type Message,
  type Request,
  type RequestId,
} from "@tenon/jsonrpc2";

import { MediaType } from "../shared/names.ts";
import { backoff, sleep } from "./backoff.ts";
import { lastEvent } from "./last-event.ts";
import type { ReconnectOptions } from "./options.ts";
import { isRepeatable } from "./repeatable.ts";
import { watchSilence, type SilenceWatch } from "./silence.ts";

/** What the sending of one request needs of its connection. */
export interface SenderOwner {
  readonly url: URL;
  readonly http: HttpClient;
  readonly maxResponseBytes: number;
  readonly decode: (input: string) => Incoming;
  readonly reconnect: ReconnectOptions;
  /** Takes what was received; settles when it was taken. */
  receive(incoming: Incoming): Promise<void> | undefined;
}

/** A request under way. */
export interface Sending {
  readonly request: Request;
  readonly headers: HeadersLike;
  readonly signal: AbortSignal;
  /** The headers for coming back for a lost stream; `undefined` where that is not possible (modern era). */
  resumption(): HeadersLike | undefined;
  /** Told of the answer's headers before the answer is received. */
  onResponse?(response: WireResponse): void;
  /** Looks at the answer before it is received, and may replace it. */
  onAnswer?(answer: Message): Message;
  /** True keeps the answer from being received: the request will be sent again. */
  hold?(answer: Message): boolean;
}

/** Sends a notification or an answer. @throws `HttpError` if it was not accepted. */
export async function sendOneWay(
  owner: SenderOwner,
  message: Message | readonly Message[],
  headers: HeadersLike,
  signal: AbortSignal,
): Promise<WireResponse> {
  const { url, http } = owner;
  const response = await http({ url, method: "POST", headers, body: encode(message), signal });
  if (response.status >= 200 && response.status < 300) {
    response.discard();
    return response;
  }
  throw await statusError(response, url);
}

/** The answer to one POST. Resolves when the request has been answered; rejects with what prevented that, as soon as it is known. */
export class Sender {
  readonly #owner: SenderOwner;
  readonly #sending: Sending;
  #answered = false;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Of the stream that is read. */
  #watch: SilenceWatch;

  constructor(owner: SenderOwner, sending: Sending) {
    this.#owner = owner;
    this.#sending = sending;
    this.#watch = watchSilence(sending.signal, owner.reconnect.maxSilenceMs ?? 0);
  }

  /** @returns The status, if the server refused without saying anything about the request itself; `undefined` once it is answered. */
  async send(): Promise<WireResponse | undefined> {
    const { url, http } = this.#owner;
    const { request, headers } = this.#sending;
    const { signal } = this.#watch;
    const once = !isRepeatable(request.method);
    const response = await http({ url, method: "POST", headers, body: encode(request), signal, once });
    this.#sending.onResponse?.(response);
    const type = mediaType(response.header("content-type"));
    if (type === MediaType.events && response.status === 200) {
      await this.#readStream(response);
      return undefined;
    }
    return type === MediaType.json ? this.#readAnswer(response) : response;
  }

  /** An answer in JSON, whatever its status is. @returns The response, if it is none. @source T-39 */
  async #readAnswer(response: WireResponse): Promise<WireResponse | undefined> {
    if (response.status === 404 && this.#sending.resumption() !== undefined) {
      // In a session this is no answer to the request: the session is lost (T-40).
      return response;
    }
    const { decode, maxResponseBytes } = this.#owner;
    const text = await readText(response, maxResponseBytes);
    const incoming = decode(text);
    const answer = "batch" in incoming && incoming.batch.length === 1 ? incoming.batch[0] : incoming;
    if (answer === undefined || isMalformed(answer) || !("result" in answer || "error" in answer)) {
      if (response.status >= 400) {
        return withText(response, text);
      }
      throw new LocalError("INVALID_STATE", "The server answered with JSON that is no answer.");
    }
    if ("error" in answer && isPostponed(response)) {
      // Nor is this: the server has no time for the request, whatever it says.
      throw await statusError(withText(response, text), this.#owner.url, { delivered: "no" });
    }
    await this.#receive(answer);
    if (!this.#answered) {
      // Whose it is matters no more: on this exchange nothing else will come.
      throw new LocalError("INVALID_STATE", "The server answered with the id of another request.");
    }
    return undefined;
  }

  async #readStream(response: WireResponse): Promise<void> {
    let stream: WireResponse | undefined = response;
    let failure: unknown;
    for (let attempt = 0; stream !== undefined; attempt++) {
      const before = this.#lastEventId;
      try {
        await this.#readEvents(stream);
      } catch (error) {
        failure = error;
      }
      if (this.#answered) {
        return;
      }
      this.#sending.signal.throwIfAborted();
      stream = await this.#resume(before === this.#lastEventId ? attempt : 0, failure);
    }
  }

  async #readEvents(response: WireResponse): Promise<void> {
    const { maxResponseBytes: maxEventLength } = this.#owner;
    const onRetry = (ms: number): void => {
      this.#retryMs = ms;
    };
    const { heard, stop } = this.#watch;
    heard();
    try {
      const options = { maxEventLength, onRetry, onActivity: heard };
      for await (const { id, event, data } of readEvents(response.body, options)) {
        this.#lastEventId = lastEvent(this.#lastEventId, id);
        // An empty event opens a stream; other names than `message` are for others (T-69).
        if (data !== "" && (event === undefined || event === "message")) {
          const incoming = this.#owner.decode(data);
          // Whoever is slow to take it is not the server.
          stop();
          await this.#receive(incoming);
          heard();
        }
      }
    } finally {
      stop();
    }
  }

  /** Comes back for the rest of the stream. @throws If there is no coming back. @source R-360 */
  async #resume(attempt: number, failure: unknown): Promise<WireResponse | undefined> {
    const { url, http, reconnect } = this.#owner;
    const { maxRetries = 8 } = reconnect;
    const { signal, resumption } = this.#sending;
    if (isHttpError(failure) && failure.code !== "NETWORK") {
      throw failure;
    }
    const headers = resumption();
    if (headers === undefined || this.#lastEventId === undefined || attempt >= maxRetries) {
      // The loss of one answer: the other requests of the connection have streams of their own.
      throw new HttpError("NETWORK", "The stream of the answer ended before the answer.", { cause: failure });
    }
    await sleep(backoff(attempt, reconnect, this.#retryMs), signal);
    this.#watch = watchSilence(signal, reconnect.maxSilenceMs ?? 0);
    this.#watch.heard();
    let response: WireResponse;
    try {
      response = await http({
        url,
        method: "GET",
        headers: { ...headers, accept: MediaType.events, "last-event-id": this.#lastEventId },
        signal: this.#watch.signal,
      });
    } catch (error) {
      this.#watch.stop();
      signal.throwIfAborted();
      return this.#resume(attempt + 1, error);
    }
    if (response.status === 200) {
      return response;
    }
    this.#watch.stop();
    // The request itself was taken: this is about the rest of its answer.
    const refused = await statusError(response, url, { delivered: "maybe" });
    if (response.status >= 500 || response.status === 429) {
      return this.#resume(attempt + 1, refused);
    }
    throw refused;
  }

  async #receive(incoming: Incoming): Promise<void> {
    const { request } = this.#sending;
    if (isMalformed(incoming) || "batch" in incoming || !("result" in incoming || "error" in incoming)) {
      await this.#owner.receive(incoming);
      return;
    }
    const mine = incoming.id === request.id || isUnnamed(incoming.id);
    const answer = isUnnamed(incoming.id) ? { ...incoming, id: request.id } : incoming;
    if (!mine) {
      await this.#owner.receive(answer);
      return;
    }
    this.#answered = true;
    const seen = this.#sending.onAnswer?.(answer) ?? answer;
    if (this.#sending.hold?.(seen) !== true) {
      await this.#owner.receive(seen);
    }
  }
}

/**
 * True for a 503 that says when to come back. If the server itself says so, in an error of JSON-RPC, it has not begun with the request; a proxy says the same of
 * requests whose server took too long, or died over them.
 *
 * @source RFC 9110 §15.6.4, §10.2.3
 */
function isPostponed(response: WireResponse): boolean {
  return response.status === 503 && response.header("retry-after") !== undefined;
}

/** An error without an id, on the answer to a request, can only mean that request. */
function isUnnamed(id: RequestId | null | undefined): boolean {
  return id === undefined || id === null;
}
