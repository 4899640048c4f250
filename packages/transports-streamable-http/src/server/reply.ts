import { accepts, type Exchange, type HeaderFields } from "@tenon/http/server";
import {
  encode,
  ErrorCode,
  undeliverable,
  type Message,
  type Request,
  type RequestId,
} from "@tenon/jsonrpc2/core";
import type { StreamKey } from "@tenon/stores";

import { attempt } from "../shared/attempt.ts";
import { MediaType } from "../shared/names.ts";
import type { DeniedHead } from "./authorization.ts";
import { Channel } from "./channel.ts";
import { takesOnlyEvents } from "./check-post.ts";
import type { EventLog } from "./event-log.ts";
import type { Beating } from "./heartbeat.ts";
import type { OpenReplies } from "./open-replies.ts";
import type { RequestInfo } from "./request-info.ts";
import type { SessionSettings } from "./session-settings.ts";
import { subjectOf } from "./subject.ts";

/**
 * The requests of one POST of a session, and the response: JSON, or a stream that the client may
 * resume.
 */
export class Reply implements Beating {
  place = -1;
  /** All requests of the POST. */
  readonly ids: readonly RequestId[];
  /** The HTTP request that they came in. */
  readonly info: RequestInfo;
  readonly #request: Request | undefined;
  #exchange: Exchange;
  #headers: HeaderFields;
  readonly #settings: SessionSettings;
  readonly #prime: boolean;
  readonly #key: StreamKey;
  readonly #log: EventLog | undefined;
  readonly #replies: OpenReplies;
  /** The number of requests that are in flight. */
  #open: number;
  #channel: Channel | undefined;
  #beats = 0;
  #gone = false;

  /**
   * @param options - `request`: the only request of the POST. `prime`: the client's revision knows
   *   streams that begin with an empty event. `log`: see {@link Channel}. `replies.leave` is called
   *   when the client has left.
   */
  constructor(
    ids: readonly RequestId[],
    exchange: Exchange,
    headers: HeaderFields,
    settings: SessionSettings,
    options: {
      readonly request: Request | undefined;
      readonly key: StreamKey;
      readonly prime: boolean;
      readonly log: EventLog | undefined;
      readonly info: RequestInfo;
      readonly replies: OpenReplies;
    },
  ) {
    this.ids = ids;
    this.info = options.info;
    this.#request = options.request;
    this.#open = ids.length;
    this.#exchange = exchange;
    this.#headers = headers;
    this.#settings = settings;
    this.#key = options.key;
    this.#log = options.log;
    this.#replies = options.replies;
    this.#prime = options.prime && options.log !== undefined;
    settings.heartbeat.add(this);
    this.#connect();
  }

  /**
   * Continues with the exchange of the same POST, which the client has sent again because it lost
   * the connection before it received anything.
   *
   * @returns Whether it is the same, and the client of the first exchange has left.
   */
  takeOver(request: Request, exchange: Exchange, headers: HeaderFields): boolean {
    const first = this.#request;
    const isLost = this.#gone && this.#channel === undefined && first !== undefined;
    if (!isLost || encode(request) !== encode(first)) {
      return false;
    }
    this.#exchange = exchange;
    this.#headers = headers;
    this.#gone = false;
    this.#connect();
    return true;
  }

  /** The stream of this response, if it exists. */
  get channel(): Channel | undefined {
    return this.#channel;
  }

  /** Whether the client is connected. */
  get attached(): boolean {
    return this.#channel === undefined ? !this.#gone : this.#channel.attached;
  }

  /** Whether no client can get the response any more. */
  get abandoned(): boolean {
    return this.#channel === undefined
      ? this.#gone
      : !this.#channel.attached && !(this.#log !== undefined && this.#channel.resumable);
  }

  /** Whether a request is in flight. */
  get open(): boolean {
    return this.#open > 0;
  }

  /**
   * Sends a message before the response.
   *
   * @throws `undeliverable`, from the promise, for a request that the client cannot get.
   */
  send(message: Message): Promise<void> | undefined {
    const channel = this.#events ? this.stream() : undefined;
    if (!("method" in message && "id" in message)) {
      return channel?.send(encode(message), subjectOf(message));
    }
    if (channel !== undefined) {
      return channel.ask(encode(message));
    }
    const why = this.#gone
      ? "the client has closed the connection of its own request"
      : "the client accepts no event stream (text/event-stream) for its own request";
    return Promise.reject(undeliverable(`The request cannot be delivered: ${why}.`));
  }

  /** Turns the response into a stream, if the client is connected. */
  stream(): Channel | undefined {
    if (this.#channel === undefined && !this.#gone) {
      this.#channel = new Channel(this.#key, this.#settings, {
        log: this.#log,
        onDetached: () => this.#replies.leave(this),
      });
      this.#channel.attach(this.#exchange, this.#headers, this.#prime);
    }
    return this.#channel;
  }

  /**
   * Ends the connection of the stream, so that the client comes back for the rest later; only where
   * it knows how to.
   */
  closeStream(): void {
    if (this.#prime && this.#events && this.#open > 0) {
      this.stream()?.detach();
    }
  }

  /** Sends the response to one of the requests. The last response completes the exchange. */
  answer(text: string, denied?: DeniedHead): void {
    this.#open--;
    this.#say(text, denied);
  }

  /** Sends the responses of a batch. */
  answerAll(text: string): void {
    this.#open = 0;
    this.#say(text);
  }

  /** Removes a cancelled request, which gets no response. */
  drop(): void {
    this.#open--;
    this.#endIfDone();
  }

  /**
   * Ends the pending requests of a closed session with an error, because their responses can no
   * longer be sent.
   */
  close(open: readonly RequestId[]): void {
    const error = {
      code: ErrorCode.InternalError,
      message: "The session ended before the response was sent",
    };
    const answers = open.map((id) => ({ jsonrpc: "2.0", id, error }) as const);
    const [only] = answers;
    this.answerAll(encode(answers.length === 1 && only !== undefined ? only : answers));
  }

  beat(): void {
    this.#beats++;
    if (this.#beats > 1 && this.#events) {
      this.stream();
    }
  }

  /**
   * Whether the client accepts event streams. Computed on demand, because responses are usually
   * JSON.
   */
  get #events(): boolean {
    return accepts(this.#exchange.header("accept"), MediaType.events);
  }

  #connect(): void {
    const exchange = this.#exchange;
    // the requests continue. Their messages are lost, unless there is a stream to resume.
    exchange.onDisconnect(() => {
      this.#gone = true;
      this.#replies.leave(this);
    });
    if (this.#prime) {
      // A response that takes longer than this turn of the event loop should survive the loss of
      // the connection.
      setTimeout(() => this.#becomeStream(), 0);
    }
  }

  #becomeStream(): void {
    attempt(() => {
      if (this.#open > 0 && this.#events) {
        this.stream();
      }
    }, this.#settings.onError);
  }

  #say(text: string, denied?: DeniedHead): void {
    if (this.#channel !== undefined) {
      this.#channel.send(text)?.catch(() => {});
      this.#endIfDone();
    } else if (this.#open === 0) {
      this.#settings.heartbeat.delete(this);
      if (denied === undefined && takesOnlyEvents(this.#exchange)) {
        this.stream()
          ?.send(text)
          ?.catch(() => {});
        this.#endIfDone();
      } else if (denied === undefined || this.ids.length > 1) {
        this.#exchange.respond(200, this.#headers, text);
      } else {
        this.#exchange.respond(denied.status, { ...this.#headers, ...denied.headers }, text);
      }
    } else {
      this.stream()
        ?.send(text)
        ?.catch(() => {});
    }
  }

  #endIfDone(): void {
    if (this.#open > 0) {
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
