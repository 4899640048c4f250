import {
  accepts,
  EventStream,
  type EventStreamLimits,
  type Exchange,
  type HeaderFields,
} from "@tenon/http/server";
import { encode, type Message, type RequestId, type Response } from "@tenon/jsonrpc2";

import { MediaType } from "../shared/names.ts";
import type { Beating, Heartbeat } from "./heartbeat.ts";
import { subjectOf } from "./subject.ts";

/** What answers share. */
export interface AnswerSettings {
  readonly heartbeat: Heartbeat;
  readonly limits: EventStreamLimits;
  /** The HTTP status of an answer that is an error, while there is a choice. */
  statusOf(code: number): number;
}

/**
 * The answer to one request without a session: JSON, or an event stream as soon as something is sent before it. Requests that take long turn into streams too,
 * so that they can be kept alive.
 *
 * @source
 */
export class Answer implements Beating {
  place = -1;
  /** The id as the client gave it. */
  readonly id: RequestId;
  readonly #exchange: Exchange;
  readonly #headers: HeaderFields;
  readonly #settings: AnswerSettings;
  #stream: EventStream | undefined;
  #beats = 0;
  #done = false;

  constructor(id: RequestId, exchange: Exchange, headers: HeaderFields, settings: AnswerSettings) {
    this.id = id;
    this.#exchange = exchange;
    this.#headers = headers;
    this.#settings = settings;
    settings.heartbeat.add(this);
  }

  /** Sends something before the answer. Dropped if the client takes no event streams. */
  deliver(message: Message): Promise<void> | undefined {
    if (this.#done || !this.#events) {
      return undefined;
    }
    return this.#open().send({ data: encode(message), subject: subjectOf(message) });
  }

  /** Gives the answer. */
  finish(response: Response): void {
    if (this.#done) {
      return;
    }
    const text = encode(withId(response, this.id));
    this.#end();
    if (this.#stream === undefined) {
      const status = "error" in response ? this.#settings.statusOf(response.error.code) : 200;
      this.#exchange.respond(status, this.#headers, text);
    } else if (!this.#stream.closed) {
      void this.#stream.send({ data: text })?.catch(() => {});
      this.#stream.end();
    }
  }

  /** Ends the exchange without an answer: the request was cancelled. */
  drop(): void {
    if (!this.#done) {
      this.#end();
      this.#stream?.end();
      this.#exchange.respond(202, this.#headers);
    }
  }

  /** The client has gone. */
  disconnected(): void {
    this.#end();
    this.#stream?.disconnected();
  }

  beat(): void {
    this.#beats++;
    if (this.#stream !== undefined) {
      this.#stream.comment("still working");
    } else if (this.#events && this.#beats > 1) {
      this.#open();
    }
  }

  /** Whether the client takes event streams. Most answers are none, so this is found out when one is wanted. */
  get #events(): boolean {
    return accepts(this.#exchange.header("accept"), MediaType.events);
  }

  #end(): void {
    this.#done = true;
    this.#settings.heartbeat.delete(this);
  }

  #open(): EventStream {
    this.#stream ??= new EventStream(this.#exchange, this.#headers, this.#settings.limits);
    return this.#stream;
  }
}

/** Written out, since copying whatever members there are takes longer. */
function withId(response: Response, id: RequestId): Response {
  return "result" in response
    ? { jsonrpc: "2.0", id, result: response.result }
    : { jsonrpc: "2.0", id, error: response.error };
}
