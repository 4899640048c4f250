import { isRecord } from "@tenon/base";
import type { Exchange, HeaderFields } from "@tenon/http/server";
import {
  isBatch,
  isMalformed,
  isMany,
  isNotification,
  connectionClosed,
  encode,
  isRequest,
  isResponse,
  undeliverable,
  withExtra,
  type Incoming,
  type Malformed,
  type Message,
  type Outgoing,
  type Request,
  type RequestId,
  type Response,
  type Connection,
  type Network,
  type WriteOptions,
} from "@tenon/jsonrpc2/core";
import { offerDirectRead, writeAccepted } from "@tenon/jsonrpc2/transport";
import { wireFacts, type AuthInfo } from "@tenon/protocol";

import { attempt } from "../shared/attempt.ts";
import { deniedHead } from "./authorization.ts";
import type { Call } from "./call.ts";
import { Channel } from "./channel.ts";
import { EventLog } from "./event-log.ts";
import { Held } from "./held.ts";
import { Inbox } from "./inbox.ts";
import { idsOf, isPolled } from "./incoming.ts";
import { OpenReplies, type OpenRepliesOwner } from "./open-replies.ts";
import { noSession, refusal, refuse, type Refusal } from "./refusal.ts";
import { Reply } from "./reply.ts";
import type { SessionOwner, SessionSettings } from "./session-settings.ts";
import { subjectOf } from "./subject.ts";

/** Maximum number of received messages that the server has not read yet. */
const maxQueued = 1024;

const overHttp: Network = { transport: "tcp", protocol: "http" };
/**
 * Whether all sessions offer direct reads. A static block would do that earlier, but bundlers keep
 * a class with such a block in programs without sessions.
 */
let offersDirectRead = false;
/** How many `retryMs` to wait for a client to open or reopen its stream. */
const expectedWithin = 5;

/**
 * A legacy session: the connection that a server reads from, and the HTTP exchanges that feed it.
 */
export class Session implements Connection, OpenRepliesOwner {
  readonly network: Network = overHttp;
  readonly sessionId: string;
  readonly principal: string | undefined;
  readonly #settings: SessionSettings;
  readonly #owner: SessionOwner;
  readonly #log: EventLog | undefined;
  readonly #replies: OpenReplies;
  readonly #held: Held;
  /** The stream for messages that belong to no request, once there is any use for it. */
  #standalone: Channel | undefined;
  readonly #inbox = new Inbox();
  #version: string | undefined;
  #opening: RequestId | undefined;
  #lastStream = 0;
  #closed = false;

  constructor(
    identity: { readonly sessionId: string; readonly principal: string | undefined },
    settings: SessionSettings,
    owner: SessionOwner,
  ) {
    if (!offersDirectRead) {
      offersDirectRead = true;
      offerDirectRead(Session.prototype, (reader, session) => session.#inbox.readTo(reader));
    }
    this.sessionId = identity.sessionId;
    this.principal = identity.principal;
    this.#settings = settings;
    this.#owner = owner;
    const { eventStore, onError } = settings;
    this.#replies = new OpenReplies(this);
    this.#held = new Held(settings.held);
    this.#expectReader();
    this.#log = eventStore && new EventLog(eventStore, this.sessionId, onError);
  }

  /** Whether a client waits for a response or reads a stream. */
  get busy(): boolean {
    return this.listens || this.#replies.attached;
  }

  /** Handles the messages of a POST. */
  take(incoming: Incoming, call: Call): void {
    const { exchange, headers } = call;
    if (isMalformed(incoming)) {
      refuse(exchange, { status: 400, error: incoming.malformed }, headers, incoming.id ?? null);
      return;
    }
    if (isRequest(incoming) && this.#replies.takeOver(incoming, exchange, headers)) {
      return;
    }
    const messages = isBatch(incoming) ? incoming.batch : [incoming];
    const refused = this.#refusal(incoming, messages);
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return;
    }
    const ids = idsOf(messages);
    if (ids.length === 0) {
      exchange.respond(202, headers);
    } else {
      const request = isRequest(incoming) ? incoming : undefined;
      this.#expect(ids, call, { request, isPoll: messages.every(isPolled) });
    }
    if (isRequest(incoming) && incoming.method === "initialize") {
      this.#opening = incoming.id;
    }
    this.#inbox.put(withExtra(incoming, call.info));
    for (const message of messages) {
      this.#dropCancelled(message);
    }
  }

  /** Whether a request of the client is in flight. */
  has(id: RequestId): boolean {
    return this.#replies.has(id);
  }

  /** Whether this session writes a stream. */
  writes(streamId: string): boolean {
    return !this.#closed && this.#channelOf(streamId) !== undefined;
  }

  /** Whether a client reads the standalone stream. */
  get listens(): boolean {
    return this.#standalone?.attached === true;
  }

  /** Ends the connection of the standalone stream, because another process continues it. */
  release(): void {
    this.#standalone?.release();
  }

  /** Passes a message to the server that no request of HTTP to this session carried. */
  put(message: Message): void {
    this.#inbox.put(message);
    this.#dropCancelled(message);
  }

  /** Sets the negotiated revision of a session that another process has opened. */
  continueAs(version: string): void {
    this.#version = version;
  }

  /** Cancels a request as its client would. */
  cancel(requestId: RequestId): void {
    const params = { requestId, reason: "Connection closed by the client." };
    this.#inbox.put({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  /** Called when a POST is complete, or its client or the reader of the stream has left. */
  rested(): void {
    this.#owner.rested?.();
  }

  /** Opens the standalone stream for a client. */
  listen(exchange: Exchange, headers: HeaderFields, auth: AuthInfo | undefined): void {
    this.#ownStream().attach(exchange, headers, this.#primes, auth);
  }

  /** Continues a stream after an event that the client has seen. */
  async resume(
    exchange: Exchange,
    headers: HeaderFields,
    lastEventId: string,
    auth: AuthInfo | undefined,
  ): Promise<void> {
    const store = this.#settings.eventStore;
    const streamId = await store?.streamOf(this.sessionId, lastEventId);
    if (store === undefined || streamId === undefined) {
      const text = "The stream cannot be resumed: its events are not kept, or not any longer";
      refuse(exchange, refusal(400, text), headers);
      return;
    }
    const key = { sessionId: this.sessionId, streamId };
    const channel = this.#channelOf(streamId);
    if (channel !== undefined) {
      await channel.resume(exchange, headers, { store, after: lastEventId }, auth);
      return;
    }
    // Everything was said already: a stream without a future.
    const finished = new Channel(key, this.#settings, { log: this.#log });
    finished.end();
    await finished.resume(exchange, headers, { store, after: lastEventId }, auth);
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  write(message: Outgoing, options?: WriteOptions): Promise<void> {
    if (this.#closed) {
      return Promise.reject(connectionClosed());
    }
    try {
      return this.#write(message, options?.relatedTo) ?? writeAccepted;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#inbox.end();
      this.#log?.end();
      const { onError } = this.#settings;
      this.#replies.close(onError);
      attempt(() => this.#standalone?.end(), onError);
      this.#held.end();
      attempt(() => this.#owner.ended(), onError);
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #primes(): boolean {
    return wireFacts(this.#version).primedStreams === true;
  }

  #refusal(incoming: Incoming, messages: readonly (Message | Malformed)[]): Refusal | undefined {
    if (this.#closed) {
      return noSession;
    }
    if (isBatch(incoming)) {
      if (wireFacts(this.#version).batches !== true) {
        return refusal(400, "Invalid Request: batches are not supported in this session");
      }
      if (messages.some(isMalformed)) {
        return refusal(400, "Invalid Request: the batch contains an element that is not a message");
      }
    }
    for (const message of messages) {
      if (isRequest(message) && this.#replies.has(message.id)) {
        return refusal(400, "Invalid Request: the id is in use");
      }
    }
    return this.#inbox.length >= maxQueued
      ? refusal(503, "Too many messages are waiting in this session")
      : undefined;
  }

  #expect(
    ids: readonly RequestId[],
    { exchange, headers, info }: Call,
    { request, isPoll }: { readonly request: Request | undefined; readonly isPoll: boolean },
  ): void {
    const number = String(++this.#lastStream);
    const streamId = this.#settings.streamId?.(number, ids) ?? number;
    const key = { sessionId: this.sessionId, streamId };
    const reply = new Reply(ids, exchange, headers, this.#settings, {
      request,
      key,
      prime: this.#primes && !isPoll,
      log: this.#log,
      info,
      replies: this.#replies,
    });
    this.#replies.add(reply);
    if (this.#log !== undefined) {
      info.closeStream = () => reply.closeStream();
    }
  }

  #dropCancelled(message: Message | Malformed): void {
    if (
      !isNotification(message) ||
      message.method !== "notifications/cancelled" ||
      !isRecord(message.params)
    ) {
      return;
    }
    this.#replies.drop(message.params["requestId"] as RequestId);
  }

  #expectReader(): void {
    this.#held.expect(expectedWithin * this.#settings.retryMs);
  }

  #write(message: Outgoing, relatedTo: RequestId | undefined): Promise<void> | undefined {
    if (isMany(message)) {
      this.#answerBatch(message as readonly Response[]);
      return undefined;
    }
    if (isResponse(message)) {
      this.#answer(message);
      return undefined;
    }
    if (relatedTo === undefined) {
      return this.#say(message);
    }
    const reply = this.#replies.get(relatedTo);
    if (reply !== undefined) {
      return reply.send(message);
    }
    const over = "Cannot deliver the request: the client's own request has completed.";
    return isRequest(message) ? Promise.reject(undeliverable(over)) : undefined;
  }

  /** Sends what belongs to no request. */
  #say(message: Message): Promise<void> | undefined {
    if (!isRequest(message)) {
      return this.#ownStream().send(encode(message), subjectOf(message));
    }
    if (message.method === "ping" && !this.listens) {
      // The message asks whether a client is reading now. Later it has no value.
      const text = "The ping cannot be delivered: the client has no standalone stream (GET) open.";
      return Promise.reject(undeliverable(text));
    }
    return this.#ownStream().ask(encode(message));
  }

  #answer(response: Response): void {
    const id = response.id as RequestId;
    const reply = this.#replies.get(id);
    if (reply !== undefined) {
      const text = encode(response);
      this.#noteVersion(response);
      this.#replies.answer(id, reply, text, deniedHead(response, reply.info));
    }
  }

  #answerBatch(responses: readonly Response[]): void {
    const reply = responses
      .map(({ id }) => this.#replies.get(id as RequestId))
      .find((candidate) => candidate !== undefined);
    if (reply === undefined) {
      return;
    }
    const text = encode(responses);
    this.#replies.answerAll(reply, text);
  }

  #noteVersion(response: Response): void {
    if (this.#opening === undefined || response.id !== this.#opening) {
      return;
    }
    this.#opening = undefined;
    const version = "result" in response && isRecord(response.result) && response.result["protocolVersion"];
    this.#version = typeof version === "string" ? version : undefined;
  }

  #channelOf(streamId: string): Channel | undefined {
    return streamId === "0" ? this.#ownStream() : this.#replies.channelOf(streamId);
  }

  /** @source R-354…R-357 */
  #ownStream(): Channel {
    this.#standalone ??= new Channel({ sessionId: this.sessionId, streamId: "0" }, this.#settings, {
      log: this.#log,
      held: this.#held,
      onDetached: () => {
        this.#expectReader();
        this.rested();
      },
    });
    return this.#standalone;
  }
}
