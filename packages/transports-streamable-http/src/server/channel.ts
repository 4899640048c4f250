import {
  EventStream,
  watchExpiry,
  type Exchange,
  type Expiry,
  type HeaderFields,
  type ServerSentEvent,
} from "@tenon/http/server";
import { undeliverable } from "@tenon/jsonrpc2/core";
import { writeAccepted } from "@tenon/jsonrpc2/transport";
import type { AuthInfo } from "@tenon/protocol";
import type { EventStore, StreamKey } from "@tenon/stores";

import { attempt } from "../shared/attempt.ts";
import type { EventLog } from "./event-log.ts";
import type { Beating } from "./heartbeat.ts";
import type { Held } from "./held.ts";
import type { SessionSettings } from "./session-settings.ts";

/** The dependencies of a stream on its session. */
export interface ChannelSetup {
  /** Keeps what is sent; without it nothing can be sent again. */
  readonly log: EventLog | undefined;
  /** Keeps what cannot be sent yet; without it such messages are dropped. */
  readonly held?: Held | undefined;
  /** Called when a connection has ended and has not been replaced. */
  readonly onDetached?: (() => void) | undefined;
}

/** An event, and whether the server waits for the response to it. */
interface ChannelEvent extends ServerSentEvent {
  readonly asks?: boolean;
}

/**
 * One stream of a session: a sequence of messages that outlives its connections. A client whose
 * connection is lost reconnects and gets the remaining messages. If the old connection is still
 * half open then, the new connection replaces it.
 */
export class Channel implements Beating {
  place = -1;
  readonly key: StreamKey;
  readonly #settings: SessionSettings;
  readonly #log: EventLog | undefined;
  readonly #held: Held | undefined;
  readonly #onDetached: (() => void) | undefined;
  #stream: EventStream | undefined;
  #expiry: Expiry | undefined;
  /** Ends when everything sent so far has been kept and passed on. */
  #tail: Promise<void> | undefined;
  /** Messages that were kept while a replay was going on, and not sent. */
  #missed = 0;
  /**
   * The connection on which a replay is running. A connection that replaces it is not part of the
   * replay.
   */
  #replayed: EventStream | undefined;
  #resumable = false;
  #ended = false;

  constructor(key: StreamKey, settings: SessionSettings, { log, held, onDetached }: ChannelSetup) {
    this.key = key;
    this.#settings = settings;
    this.#log = log;
    this.#held = held;
    this.#onDetached = onDetached;
  }

  /** True while a client reads. */
  get attached(): boolean {
    return this.#stream !== undefined && !this.#stream.closed;
  }

  /** Whether the client has received the ID of a stored event, so that it can resume after it. */
  get resumable(): boolean {
    return this.#resumable;
  }

  /**
   * Connects a client.
   *
   * @param prime - Open with an event that has an id and no data, so that the client can resume
   *   from the start.
   * @param auth - The connection ends with these credentials. By default it does not.
   * @source R-350
   */
  attach(exchange: Exchange, headers: HeaderFields, prime: boolean, auth?: AuthInfo): void {
    this.#replace(exchange, headers, auth);
    if (prime && this.#log !== undefined) {
      this.#enqueue({ data: "", retry: this.#settings.retryMs })?.catch(this.#settings.onError);
    }
    this.#sendHeld();
  }

  /**
   * Connects a client that has read up to the event `after`: sends what it missed, then what
   * follows.
   */
  async resume(
    exchange: Exchange,
    headers: HeaderFields,
    { store, after }: { readonly store: EventStore; readonly after: string },
    auth: AuthInfo | undefined,
  ): Promise<void> {
    const stream = this.#replace(exchange, headers, auth);
    this.#replayed = stream;
    this.#resumable = true;
    try {
      await this.#replay(stream, store, after);
    } catch (error) {
      // A missing message must not be skipped silently: the client resumes the stream to get it.
      this.#disconnect(stream);
      throw error;
    } finally {
      if (this.#replayed === stream) {
        this.#replayed = undefined;
      }
    }
    if (this.#stream !== stream) {
      return;
    }
    if (this.#ended) {
      this.#finish();
    } else {
      // Messages that the store did not accept are not part of the replay.
      this.#sendHeld();
    }
  }

  /**
   * Sends a message to the client, now or when it comes back.
   *
   * @param subject - See `whenFull` of the stream.
   */
  send(text: string, subject?: string): Promise<void> | undefined {
    return this.#send({ data: text, subject });
  }

  /**
   * Sends a request.
   *
   * @throws `undeliverable`, from the promise, if the client cannot get it, now or later.
   */
  ask(text: string): Promise<void> | undefined {
    return this.#send({ data: text, asks: true });
  }

  /** Completes the stream after what was sent. */
  end(): void {
    this.#ended = true;
    if (this.#tail === undefined) {
      this.#finish();
    } else {
      void this.#tail.then(() => this.#finish());
    }
  }

  /**
   * Ends the connection, not the stream: the client is to come back. A client that cannot keeps its
   * connection.
   *
   * @source R-350
   */
  detach(): void {
    const stream = this.#stream;
    if (stream === undefined) {
      return;
    }
    const disconnect = (): void => {
      if (this.#resumable) {
        this.#disconnect(stream);
      }
    };
    if (this.#tail === undefined) {
      disconnect();
    } else {
      void this.#tail.then(disconnect);
    }
  }

  /** Ends the connection. The client cannot resume the stream here any more. */
  release(): void {
    this.#resumable = false;
    if (this.#stream !== undefined) {
      this.#disconnect(this.#stream);
    }
  }

  beat(): void {
    this.#stream?.comment("still here");
  }

  #send(event: ChannelEvent): Promise<void> | undefined {
    return this.attached || this.#resumable ? this.#enqueue(event) : this.#hold(event);
  }

  #sendHeld(): void {
    for (const { text, subject, settle } of this.#held?.take() ?? []) {
      const sent = this.#enqueue({ data: text, subject, asks: settle !== undefined });
      if (settle === undefined) {
        sent?.catch(this.#settings.onError);
      } else {
        (sent ?? writeAccepted).then(() => settle(), settle);
      }
    }
  }

  /** Sends the stored events until every pending write to the store is included. */
  async #replay(stream: EventStream, store: EventStore, after: string): Promise<void> {
    let last = after;
    let tail: Promise<void> | undefined;
    do {
      this.#missed = 0;
      for await (const { eventId, data } of store.readAfter(this.key, last)) {
        if (stream.closed) {
          return;
        }
        last = eventId;
        await stream.send({ id: eventId, data });
        await stream.room();
      }
      tail = this.#tail;
      await tail;
    } while (
      this.#stream === stream &&
      (this.#missed > 0 || (this.#tail !== undefined && this.#tail !== tail))
    );
  }

  get #replaying(): boolean {
    return this.#replayed !== undefined && this.#replayed === this.#stream;
  }

  #replace(exchange: Exchange, headers: HeaderFields, auth: AuthInfo | undefined): EventStream {
    this.#stream?.end();
    this.#expiry?.cancel();
    const stream = new EventStream(exchange, headers, this.#settings.streams);
    this.#stream = stream;
    this.#expiry = watchExpiry(auth, () => attempt(() => this.#disconnect(stream), this.#settings.onError));
    this.#settings.heartbeat.add(this);
    exchange.onDisconnect(() => {
      stream.disconnected();
      this.#disconnect(stream);
    });
    return stream;
  }

  /** Ends a connection. A connection that has replaced it stays open. */
  #disconnect(stream: EventStream): void {
    stream.end();
    if (this.#stream === stream) {
      this.#stream = undefined;
      this.#expiry?.cancel();
      this.#settings.heartbeat.delete(this);
      this.#onDetached?.();
    }
  }

  #finish(): void {
    this.#expiry?.cancel();
    this.#settings.heartbeat.delete(this);
    if (!this.#replaying) {
      this.#stream?.end();
      this.#stream = undefined;
    }
  }

  /**
   * Keeps a message, then sends it; messages stay in order though keeping them may take its time.
   */
  #enqueue(event: ChannelEvent): Promise<void> | undefined {
    if (this.#tail !== undefined) {
      return this.#follow(this.#keepAfter(this.#tail, event));
    }
    const kept = this.#keep(event);
    return kept instanceof Promise ? this.#follow(this.#sendKept(kept, event)) : this.#transmit(event, kept);
  }

  async #keepAfter(tail: Promise<void>, event: ChannelEvent): Promise<Sent> {
    await tail;
    return { pressure: this.#transmit(event, await this.#keep(event)) };
  }

  async #sendKept(kept: Promise<string | undefined>, event: ChannelEvent): Promise<Sent> {
    return { pressure: this.#transmit(event, await kept) };
  }

  /** Later messages wait for a step, but not for the client to read. */
  async #follow(step: Promise<Sent>): Promise<void> {
    const tail = settled(step);
    this.#tail = tail;
    try {
      await (
        await step
      ).pressure;
    } finally {
      if (this.#tail === tail) {
        this.#tail = undefined;
      }
    }
  }

  #keep({ data }: ServerSentEvent): string | undefined | Promise<string | undefined> {
    return this.#log?.append(this.key.streamId, data);
  }

  #transmit(event: ChannelEvent, id: string | undefined): Promise<void> | undefined {
    if (this.#replaying && id !== undefined) {
      this.#missed++;
      return undefined;
    }
    const stream = this.#stream;
    if (stream === undefined || stream.closed) {
      return id === undefined || !this.#resumable ? this.#hold(event) : undefined;
    }
    this.#resumable ||= id !== undefined;
    const pressure = stream.send(id === undefined ? event : { ...event, id });
    // Stored messages are not lost with the connection: the client resumes the stream.
    return id === undefined || pressure === undefined ? pressure : settled(pressure);
  }

  /** Stores messages without a reader if a client may resume the stream. */
  #hold({ data, subject, asks = false }: ChannelEvent): Promise<void> | undefined {
    if (!asks) {
      this.#held?.add(data, subject);
      return undefined;
    }
    const gone = "The request cannot be delivered: the client has closed the stream of its own request.";
    return this.#held?.ask(data) ?? Promise.reject(undeliverable(gone));
  }
}

/** A message being sent. `pressure` settles when the client has read enough. */
interface Sent {
  readonly pressure: Promise<void> | undefined;
}

async function settled(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch {
    // The next messages are sent regardless.
  }
}
