import { reasonOf, sleep, type Clock } from "@tenon/base";
import {
  abortSignalOf,
  HttpError,
  isHttpError,
  mediaType,
  readText,
  receivedText,
  retryAfter,
  statusError,
  unexpectedResponse,
  withText,
  type AuthProvider,
  type HttpClient,
  type HttpRequest,
  type WireResponse,
} from "@tenon/http/client";
import {
  encode,
  isMalformed,
  type Incoming,
  type Message,
  type RequestId,
  type Response,
} from "@tenon/jsonrpc2/core";
import { CredentialWatch } from "@tenon/jsonrpc2/credential-watch";
import { type StreamDecoder } from "@tenon/jsonrpc2/stream";
import { withRelation } from "@tenon/jsonrpc2/transport";
import { isRepeatable } from "@tenon/protocol";

import { MediaType } from "../shared/names.ts";
import { isAboutCredentials, refusesCredentials } from "./credentials.ts";
import { isFromModernServer, isGatekeeping, isPostponed, isUnnamed } from "./gatekeeping.ts";
import type { StreamReconnect } from "./options.ts";
import { namingLimit, refuseOverLimit } from "./over-limit.ts";
import { readMessages, type StreamPlace } from "./read-messages.ts";
import { healthyMs, retryDelay } from "./retry-delay.ts";
import type { Sending, SentRequest } from "./sending.ts";
import { askForStream, Rhythm, StreamWatch } from "./silence.ts";

/** The dependencies of a request on its connection. */
export interface SenderOwner {
  readonly url: URL;
  readonly http: HttpClient;
  readonly auth: AuthProvider | undefined;
  readonly maxMessageBytes: number;
  readonly decode: StreamDecoder;
  readonly reconnect: StreamReconnect;
  readonly clock: Clock;
  /** Handles a received message. Settles when the message is accepted. */
  receive(incoming: Incoming): Promise<void> | undefined;
}

/** The HTTP response, if it is an error that does not concern the request itself. */
type Outcome = WireResponse | undefined;

/** Maximum length of a foreign id in a message. */
const maxIdLength = 64;

const nothing = (): undefined => undefined;

/**
 * The exchange of one POST. Resolves when the response has been received; rejects with the error
 * that prevented it, as soon as it is known.
 */
export class Sender {
  readonly #owner: SenderOwner;
  readonly #sent: SentRequest;
  readonly #sending: Sending;
  #answered = false;
  readonly #place: StreamPlace = { lastEventId: undefined, retryMs: undefined };
  /** Attempts in a row to come back for the stream that brought nothing new and ended soon. */
  #failures = 0;

  constructor(owner: SenderOwner, sent: SentRequest, sending: Sending) {
    this.#owner = owner;
    this.#sent = sent;
    this.#sending = sending;
  }

  /** @returns See {@link Outcome}. */
  send(): Promise<Outcome> {
    const { url, http, maxMessageBytes } = this.#owner;
    const { request, signal } = this.#sent;
    const { headers } = this.#sending;
    const once = !isRepeatable(request);
    let body: string;
    try {
      body = encode(request);
    } catch (error) {
      return Promise.reject(error);
    }
    return http({ url, method: "POST", headers, body, signal, once })
      .then((response) => this.#take(response))
      .catch(namingLimit(maxMessageBytes));
  }

  /**
   * Receives a response. A body that has arrived with the headers is received at once, because a
   * promise for each step would cost more than the steps.
   */
  #take(response: WireResponse): Outcome | Promise<Outcome> {
    this.#sending.onResponse?.(response);
    const declared = response.header("content-type");
    const type = declared === MediaType.json ? declared : mediaType(declared);
    if (type === MediaType.events && response.status === 200) {
      return this.#readStream(response);
    }
    // In a session a 404 is not a response to the request: the session has expired (T-40).
    const isJson = type === MediaType.json || (response.status === 200 && isVague(type));
    if (!isJson || (response.status === 404 && this.#sending.isGone !== undefined)) {
      return response;
    }
    const { maxMessageBytes } = this.#owner;
    const text = receivedText(response, maxMessageBytes);
    return text === undefined
      ? readText(response, maxMessageBytes).then((whole) => this.#readAnswer(whole, response))
      : this.#readAnswer(text, response);
  }

  /** Receives a response in JSON, with any status. @source T-39, R-217 */
  #readAnswer(text: string, response: WireResponse): Outcome | Promise<Outcome> {
    const incoming = this.#owner.decode(text);
    return incoming instanceof Promise
      ? incoming.then((decoded) => this.#readDecoded(decoded, text, response))
      : this.#readDecoded(incoming, text, response);
  }

  #readDecoded(incoming: Incoming, text: string, response: WireResponse): Outcome | Promise<Outcome> {
    refuseOverLimit(incoming);
    if ("batch" in incoming) {
      const answer = incoming.batch.find((part) => this.#isAnswer(part)) ?? incoming.batch[0];
      const others = incoming.batch.filter((part) => part !== answer);
      return this.#receiveAll(others, response).then(() =>
        this.#readDecoded(answer as Incoming, text, response),
      );
    }
    const isAnswer = !isMalformed(incoming) && ("result" in incoming || "error" in incoming);
    const isMine = isAnswer && this.#isMine(incoming.id);
    return isMine && !("error" in incoming)
      ? this.#receive(incoming, response)?.then(nothing)
      : this.#readRefusal(text, response, isAnswer ? incoming : undefined);
  }

  /** Receives an error in JSON, or JSON that is not a response to the request. */
  async #readRefusal(text: string, response: WireResponse, answer: Response | undefined): Promise<Outcome> {
    const { status } = response;
    const { url } = this.#owner;
    if (answer !== undefined && "error" in answer && isPostponed(response)) {
      // The server has no time for the request, whatever it says.
      throw await statusError(withText(response, text), url, { delivered: "no" });
    }
    const isMine = answer !== undefined && this.#isMine(answer.id);
    if (
      answer !== undefined &&
      (isMine || (isUnnamed(answer.id) && !(await this.#isGatekeepers(answer, status))))
    ) {
      await this.#receive(answer, response);
      return undefined;
    }
    if (status >= 400) {
      return withText(response, text);
    }
    const found = /^\s*[[{]/.test(text) ? "JSON that is not a response" : "no JSON-RPC response";
    const what = answer === undefined ? `${found} to ${this.#described()}` : this.#misnamed(answer);
    throw unexpectedResponse(url, response, what, text);
  }

  /**
   * Whether an error without an ID does not concern this request, but its sender, the rate, the
   * state of the server or the session. The status decides, unless only a modern server sends such
   * an error.
   *
   * @source, T-41
   */
  async #isGatekeepers(answer: Message, status: number): Promise<boolean> {
    if (isFromModernServer(answer)) {
      return false;
    }
    const { isGone } = this.#sending;
    return isGatekeeping(status) || (status === 400 && (await isGone?.()) === true);
  }

  async #readStream(response: WireResponse): Promise<undefined> {
    const { reconnect, maxMessageBytes, clock } = this.#owner;
    const rhythm = new Rhythm(reconnect.maxSilenceMs);
    let next = response;
    for (;;) {
      const stream = next;
      const before = this.#place.lastEventId;
      const watch = new StreamWatch(stream.body, rhythm, clock);
      let failure: unknown;
      try {
        await readMessages(watch, maxMessageBytes, this.#place, (data) =>
          this.#receiveText(data, stream, rhythm),
        );
      } catch (error) {
        failure = error;
      }
      const openMs = watch.end();
      failure = watch.failure ?? failure;
      if (this.#answered) {
        return undefined;
      }
      this.#sent.signal.throwIfAborted();
      // A server may close the connections of a long call regularly, so that its client polls it.
      if (before !== this.#place.lastEventId || openMs >= healthyMs) {
        this.#failures = 0;
      }
      if (isHttpError(failure) && failure.code !== "NETWORK") {
        throw failure;
      }
      next = await this.#resume(failure, rhythm);
    }
  }

  async #receiveText(data: string, response: WireResponse, rhythm: Rhythm): Promise<void> {
    const decoded = this.#owner.decode(data);
    await this.#receive(decoded instanceof Promise ? await decoded : decoded, response);
    if (this.#answered) {
      rhythm.stop();
    }
  }

  /** Comes back for the rest of the stream. @throws If there is no coming back. @source R-360 */
  async #resume(failure: unknown, rhythm: Rhythm): Promise<WireResponse> {
    const credentials = new CredentialWatch(this.#owner.auth);
    try {
      return await this.#comeBack(failure, rhythm, credentials);
    } finally {
      credentials.stop();
    }
  }

  async #comeBack(failure: unknown, rhythm: Rhythm, credentials: CredentialWatch): Promise<WireResponse> {
    const { url, http, reconnect, clock } = this.#owner;
    const { maxRetries } = reconnect;
    const signal = abortSignalOf(this.#sent.signal);
    const { resumption } = this.#sending;
    let reason = failure;
    let asked: number | undefined;
    for (;;) {
      const headers = resumption();
      const lastEventId = this.#place.lastEventId;
      if (headers === undefined || lastEventId === undefined || this.#failures >= maxRetries) {
        throw this.#unanswered(reason, headers !== undefined);
      }
      await sleep(retryDelay(this.#failures++, reconnect, asked ?? this.#place.retryMs), {
        signal,
        keepsAlive: true,
      });
      asked = undefined;
      const { changes } = credentials;
      let response: WireResponse | undefined;
      try {
        const resuming = { ...headers, accept: MediaType.events, "last-event-id": lastEventId };
        const request: HttpRequest = { url, method: "GET", headers: resuming, signal };
        response = await askForStream(http, request, rhythm, clock);
        if (response.status === 200) {
          return response;
        }
        // The server has accepted the request: this concerns the rest of its response.
        reason = await statusError(response, url, { delivered: "maybe" });
      } catch (error) {
        signal.throwIfAborted();
        reason = error;
      }
      const unauthorized = response === undefined ? isAboutCredentials(reason) : refusesCredentials(response);
      if (unauthorized && credentials.reports) {
        if (credentials.changes === changes) {
          await credentials.wait(Infinity, { signal, keepsAlive: true });
        }
      } else if (response !== undefined) {
        if (response.status < 500 && response.status !== 429) {
          throw reason;
        }
        asked = retryAfter(response.header("retry-after"));
      }
    }
  }

  /** The loss of one response: the other requests of the connection have separate streams. */
  #unanswered(cause: unknown, isResumable: boolean): HttpError {
    const why =
      cause === undefined
        ? "ended before the response"
        : `broke off before the response (${reasonOf(cause)})`;
    const unresumed = !isResumable
      ? "streams of this session or protocol version cannot be resumed"
      : this.#place.lastEventId === undefined
        ? "it cannot be resumed because its last event had no id"
        : `${this.#failures} attempts in a row to resume it brought nothing new (reconnect.maxRetries)`;
    return new HttpError(
      "NETWORK",
      `The event stream of the response to ${this.#described()} ${why}; ${unresumed}.`,
      {
        cause,
        // A server that ends the stream itself sent no response. If the stream broke, the state is
        // unknown.
        ...(cause === undefined ? { status: 200 } : {}),
      },
    );
  }

  #isAnswer(part: Incoming): boolean {
    return !isMalformed(part) && ("result" in part || "error" in part) && this.#isMine(part.id);
  }

  async #receiveAll(parts: readonly Incoming[], response: WireResponse): Promise<void> {
    for (const part of parts) {
      await this.#receive(part, response);
    }
  }

  /** Returns the promise of {@link SenderOwner.receive}. */
  #receive(incoming: Incoming, response: WireResponse): Promise<void> | undefined {
    const { request, modern } = this.#sent;
    if (isMalformed(incoming) || "batch" in incoming || !("result" in incoming || "error" in incoming)) {
      if ("id" in incoming && "method" in incoming) {
        this.#sending.onQuestion?.(incoming, request);
      }
      return this.#owner.receive(isMalformed(incoming) ? incoming : withRelation(incoming, request.id));
    }
    const isUnequal = incoming.id !== request.id;
    const mine = !isUnequal || isUnnamed(incoming.id) || this.#isMine(incoming.id);
    const answer = mine && isUnequal ? { ...incoming, id: request.id } : incoming;
    if (!mine) {
      if (modern) {
        // Each request has its own exchange: the response to another request is a mistake, or a
        // forgery.
        throw unexpectedResponse(this.#owner.url, response, this.#misnamed(incoming), encode(incoming));
      }
      return this.#owner.receive(answer);
    }
    this.#answered = true;
    const seen = this.#sending.onAnswer?.(answer) ?? answer;
    return this.#sending.hold?.(seen) === true ? undefined : this.#owner.receive(seen);
  }

  /** Whether a response has the ID of the request. Some servers turn numbers into strings. */
  #isMine(id: RequestId | null | undefined): boolean {
    const { id: mine } = this.#sent.request;
    return id === mine || (typeof id === "string" && typeof mine === "number" && id === String(mine));
  }

  #described(): string {
    const { id, method } = this.#sent.request;
    return `request ${JSON.stringify(id)} (${method})`;
  }

  #misnamed(answer: Message): string {
    const id = "id" in answer ? JSON.stringify(answer.id).slice(0, maxIdLength) : "none";
    return `a response with the ID ${id} instead of the ID of ${this.#described()}`;
  }
}

/** Whether a body of this type may be a response in JSON. */
function isVague(type: string | undefined): boolean {
  return type === undefined || /^text\/plain$|json/.test(type);
}
