import {
  accepts,
  EventStream,
  refuseRevoked,
  type Authorize,
  type EventStreamOptions,
  type Exchange,
  type Expiry,
  type HeaderFields,
} from "@tenon/http/server";
import {
  encode,
  type ErrorResponse,
  type Notification,
  type Response,
  type Caller,
  type Handling,
} from "@tenon/jsonrpc2/core";
import type { AuthInfo } from "@tenon/protocol";

import { MediaType } from "../shared/names.ts";
import { deniedHead } from "./authorization.ts";
import { takesOnlyEvents } from "./check-post.ts";
import type { Guest, InFlight } from "./in-flight.ts";
import { refuseVisit } from "./refusal.ts";
import type { RequestInfo } from "./request-info.ts";
import { subjectOf } from "./subject.ts";

/** The parts that responses share. */
export interface AnswerSettings {
  readonly inFlight: InFlight;
  readonly streams: EventStreamOptions;
  readonly authorize: Authorize<AuthInfo> | undefined;
  /**
   * Whether the requests last until their clients end them: then they end with the credentials of
   * their senders.
   */
  readonly lasts: boolean;
  /** The HTTP status of an error response, unless the response has already started. */
  statusOf(code: number): number;
}

/**
 * The response to one request without a session: JSON, or an event stream as soon as a message
 * precedes the response. Slow responses also turn into streams, so that heartbeats can be sent.
 *
 * @source
 */
export class Answer implements Guest, Caller {
  place = -1;
  isCounted = false;
  readonly extra: RequestInfo;
  handling: Handling | undefined;
  expiry: Expiry | undefined;
  readonly #exchange: Exchange;
  readonly #headers: HeaderFields;
  readonly #settings: AnswerSettings;
  #stream: EventStream | undefined;
  #beats = 0;
  #done = false;

  constructor(exchange: Exchange, headers: HeaderFields, settings: AnswerSettings, extra: RequestInfo) {
    this.extra = extra;
    this.#exchange = exchange;
    this.#headers = headers;
    this.#settings = settings;
    settings.inFlight.add(this);
  }

  /**
   * Sends a message before the response. The message is dropped if the client does not accept event
   * streams.
   */
  notify(message: Notification): Promise<void> | undefined {
    if (this.#done || !this.#events) {
      return undefined;
    }
    return this.#open().send({ data: encode(message), subject: subjectOf(message) });
  }

  /** Whether no more can be sent: the response is complete, or the client has disconnected. */
  get done(): boolean {
    return this.#done;
  }

  /** Sends the response. */
  answer(response: Response): void {
    if (this.#done) {
      return;
    }
    const text = encode(response);
    this.#done = true;
    if (this.#stream === undefined) {
      if ("error" in response) {
        this.#refuse(response, text);
      } else if (takesOnlyEvents(this.#exchange)) {
        this.#whole(text);
      } else {
        this.#exchange.respond(200, this.#headers, text);
      }
    } else if (!this.#stream.closed) {
      this.#whole(text);
    }
  }

  #whole(text: string): void {
    const stream = this.#open();
    void stream.send({ data: text })?.catch(() => {});
    stream.end();
  }

  /** Ends the request because its sender is no longer authorized. */
  revoke(): void {
    if (this.#done) {
      return;
    }
    this.#done = true;
    if (this.#stream === undefined) {
      refuseRevoked(refuseVisit, this.#exchange, this.#headers);
    } else {
      this.#stream.end();
    }
    this.handling?.cancel(new DOMException("Sender is no longer authorized.", "AbortError"));
  }

  /** Called when the client has disconnected. */
  disconnected(): void {
    this.#done = true;
    this.#stream?.disconnected();
  }

  /**
   * Called when the handler has settled, which may be later than the response or the end of the
   * connection.
   */
  ended(): void {
    this.#settings.inFlight.delete(this);
    this.expiry?.cancel();
  }

  beat(): void {
    if (this.#done) {
      return;
    }
    this.#beats++;
    if (this.#stream !== undefined) {
      this.#stream.comment("still working");
    } else if (this.#events && this.#beats > 1) {
      this.#open();
    }
  }

  #refuse(response: ErrorResponse, text: string): void {
    const denied = deniedHead(response, this.extra);
    if (denied === undefined) {
      const status = this.#settings.statusOf(response.error.code);
      if (status === 200 && takesOnlyEvents(this.#exchange)) {
        this.#whole(text);
      } else {
        this.#exchange.respond(status, this.#headers, text);
      }
    } else {
      this.#exchange.respond(denied.status, { ...this.#headers, ...denied.headers }, text);
    }
  }

  /**
   * Whether the client accepts event streams. Computed on demand, because responses are usually
   * JSON.
   */
  get #events(): boolean {
    return accepts(this.#exchange.header("accept"), MediaType.events);
  }

  #open(): EventStream {
    this.#stream ??= new EventStream(this.#exchange, this.#headers, this.#settings.streams);
    return this.#stream;
  }
}
