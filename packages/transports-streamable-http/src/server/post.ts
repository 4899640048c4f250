import { accepts, type Exchange, type HeaderFields } from "@tenon/http/server";
import { encode, type Message, type Request, type RequestId, type Response } from "@tenon/jsonrpc2";

import { MediaType } from "../shared/names.ts";
import { Channel } from "./channel.ts";
import type { StreamKey } from "./event-store.ts";
import type { Beating } from "./heartbeat.ts";
import type { SessionSettings } from "./session-settings.ts";
import { subjectOf } from "./subject.ts";

/** The requests that came in one POST of a session, and the answer to them: JSON, or a stream that the client may resume. */
export class Post implements Beating {
  place = -1;
  /** The requests that have not been answered. */
  readonly open: Set<RequestId>;
  readonly #exchange: Exchange;
  readonly #headers: HeaderFields;
  readonly #settings: SessionSettings;
  readonly #prime: boolean;
  readonly #key: StreamKey;
  readonly #events: boolean;
  #channel: Channel | undefined;
  #beats = 0;
  #gone = false;

  /** @param options - `prime`: the client's revision knows streams that begin with an empty event. */
  constructor(
    requests: readonly Request[],
    exchange: Exchange,
    headers: HeaderFields,
    settings: SessionSettings,
    options: { readonly key: StreamKey; readonly prime: boolean },
  ) {
    this.open = new Set(requests.map(({ id }) => id));
    this.#exchange = exchange;
    this.#headers = headers;
    this.#settings = settings;
    this.#key = options.key;
    this.#prime = options.prime && settings.eventStore !== undefined;
    this.#events = accepts(exchange.header("accept"), MediaType.events);
    settings.heartbeat.add(this);
    // the requests go on; what they would have said is lost, unless there is a stream to resume.
    exchange.onDisconnect(() => {
      this.#gone = true;
    });
    if (this.#prime && this.#events) {
      // An answer that takes longer than this turn should survive the loss of the connection.
      setTimeout(() => this.#becomeStream(), 0);
    }
  }

  /** The stream of this answer, if there is one by now. */
  get channel(): Channel | undefined {
    return this.#channel;
  }

  /** Sends something before the answer. */
  send(message: Message): Promise<void> | undefined {
    return this.#events ? this.stream()?.send(encode(message), subjectOf(message)) : undefined;
  }

  /** Turns the answer into a stream, if the client is there to read one. */
  stream(): Channel | undefined {
    if (this.#channel === undefined && !this.#gone) {
      this.#channel = new Channel(this.#key, this.#settings);
      this.#channel.attach(this.#exchange, this.#headers, this.#prime);
    }
    return this.#channel;
  }

  /** Ends the connection of the stream, so that the client comes back for the rest later; only where it knows how to. */
  closeStream(): void {
    if (this.#prime && this.#events && this.open.size > 0) {
      this.stream()?.detach();
    }
  }

  /** Gives an answer; after the last one the exchange is over. @param batch - The answers belong into one array. */
  answer(responses: readonly Response[], batch: boolean): void {
    const text = encode(batch ? responses : (responses[0] as Response));
    for (const { id } of responses) {
      this.open.delete(id as RequestId);
    }
    if (batch) {
      this.open.clear();
    }
    if (this.#channel !== undefined) {
      this.#channel.send(text)?.catch(() => {});
      this.#endIfDone();
    } else if (this.open.size === 0) {
      this.#settings.heartbeat.delete(this);
      this.#exchange.respond(200, this.#headers, text);
    } else {
      this.stream()
        ?.send(text)
        ?.catch(() => {});
    }
  }

  /** A request was cancelled: there will be no answer to it. */
  drop(id: RequestId): void {
    if (this.open.delete(id)) {
      this.#endIfDone();
    }
  }

  /** The session is over: requests that were not answered never will be, and their client is told so. */
  close(): void {
    const error = { code: -32603, message: "The session ended before this request was answered" };
    for (const id of this.open) {
      this.answer([{ jsonrpc: "2.0", id, error }], false);
    }
  }

  beat(): void {
    this.#beats++;
    if (this.#beats > 1 && this.#events) {
      this.stream();
    }
  }

  #becomeStream(): void {
    try {
      if (this.open.size > 0) {
        this.stream();
      }
    } catch (error) {
      this.#settings.onError(error);
    }
  }

  #endIfDone(): void {
    if (this.open.size > 0) {
      return;
    }
    this.#settings.heartbeat.delete(this);
    if (this.#channel === undefined) {
      this.#exchange.respond(202, this.#headers);
    } else {
      this.#channel.end();
    }
  }
}
