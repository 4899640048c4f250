import type { Exchange, HeaderFields } from "@tenon/http/server";
import {
  isMany,
  accepted,
  connectionClosed,
  encode,
  IdTable,
  isRequest,
  isResponse,
  MessageQueue,
  withExtra,
  type Connection,
  type Incoming,
  type Message,
  type Outgoing,
  type Request,
  type RequestId,
  type Response,
  type WriteOptions,
} from "@tenon/jsonrpc2";

import { isRecord } from "../shared/meta.ts";
import { Channel } from "./channel.ts";
import { Post } from "./post.ts";
import { refusal, refuse } from "./refusal.ts";
import type { SessionCall } from "./session-keeper.ts";
import type { SessionSettings } from "./session-settings.ts";
import { subjectOf } from "./subject.ts";

/** Most messages that were taken and not yet read by the server's side. */
const maxQueued = 1024;
const primingSince = "2025-11-25";
const batchRevision = "2025-03-26";

/** A legacy session: the connection that a server reads from, and the HTTP exchanges that feed it. */
export class Session implements Connection {
  readonly sessionId: string;
  readonly principal: string | undefined;
  readonly #settings: SessionSettings;
  readonly #onEnd: () => void;
  readonly #posts = new IdTable<Post>();
  /** The stream for messages that belong to no request. @source R-354…R-357 */
  readonly #standalone: Channel;
  readonly #inbox = new MessageQueue(maxQueued);
  #version: string | undefined;
  #opening: RequestId | undefined;
  #lastStream = 0;
  #closed = false;

  constructor(
    identity: { readonly sessionId: string; readonly principal: string | undefined },
    settings: SessionSettings,
    onEnd: () => void,
  ) {
    this.sessionId = identity.sessionId;
    this.principal = identity.principal;
    this.#settings = settings;
    this.#onEnd = onEnd;
    this.#standalone = new Channel({ sessionId: this.sessionId, streamId: "0" }, settings);
  }

  /** True while a request is under way or a stream is open. */
  get busy(): boolean {
    return this.#posts.size > 0 || this.#standalone.attached;
  }

  /** True if a client reads the standalone stream: such a session is not given up for another. */
  get listening(): boolean {
    return this.#standalone.attached;
  }

  /** Takes what came in a POST. */
  take(incoming: Incoming, call: SessionCall): void {
    const { exchange, headers } = call;
    if ("malformed" in incoming) {
      refuse(exchange, { status: 400, error: incoming.malformed }, headers, incoming.id ?? null);
      return;
    }
    const messages = "batch" in incoming ? incoming.batch : [incoming];
    const problem = this.#problem(incoming, messages);
    if (problem !== undefined) {
      refuse(exchange, refusal(problem.status, -32600, problem.text), headers);
      return;
    }
    const requests = messages.filter((message): message is Request => isRequest(message));
    if (requests.length === 0) {
      exchange.respond(202, headers);
    } else {
      this.#expect(requests, call);
    }
    void this.#inbox.put(withExtra(incoming, call.info));
    for (const message of messages) {
      this.#dropCancelled(message as Message);
    }
  }

  /** Opens the standalone stream for a client. */
  listen(exchange: Exchange, headers: HeaderFields): void {
    this.#standalone.attach(exchange, headers, this.#primes);
  }

  /** Continues a stream after an event that the client has seen. */
  async resume(exchange: Exchange, headers: HeaderFields, lastEventId: string): Promise<void> {
    const store = this.#settings.eventStore;
    const streamId = await store?.streamOf(this.sessionId, lastEventId);
    if (store === undefined || streamId === undefined) {
      const text = "The stream cannot be resumed: its events are not kept, or not any longer";
      refuse(exchange, refusal(400, -32600, text), headers);
      return;
    }
    const key = { sessionId: this.sessionId, streamId };
    const channel = this.#channelOf(streamId);
    if (channel !== undefined) {
      await channel.resume(exchange, headers, store, lastEventId);
      return;
    }
    // Everything was said already: a stream without a future.
    const finished = new Channel(key, this.#settings);
    finished.end();
    await finished.resume(exchange, headers, store, lastEventId);
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  write(message: Outgoing, options?: WriteOptions): Promise<void> {
    if (this.#closed) {
      return Promise.reject(connectionClosed());
    }
    try {
      return this.#write(message, options?.relatedTo) ?? accepted;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#inbox.end({ discard: true });
      for (const post of new Set(this.#posts.values())) {
        post.close();
      }
      this.#posts.clear();
      this.#standalone.end();
      this.#onEnd();
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #primes(): boolean {
    return this.#version !== undefined && this.#version >= primingSince;
  }

  #problem(incoming: Incoming, messages: readonly unknown[]): { status: number; text: string } | undefined {
    if ("batch" in incoming) {
      if (this.#version !== batchRevision) {
        return { status: 400, text: "Invalid Request: batches are not supported in this session" };
      }
      if (messages.some((message) => "malformed" in (message as object))) {
        return { status: 400, text: "Invalid Request: a member of the batch is no message" };
      }
    }
    if (
      messages.some((message) => isRequest(message as Message) && this.#posts.has((message as Request).id))
    ) {
      return { status: 400, text: "Invalid Request: the id is in use" };
    }
    return this.#inbox.length >= maxQueued
      ? { status: 503, text: "Too many messages are waiting in this session" }
      : undefined;
  }

  #expect(requests: readonly Request[], { exchange, headers, info }: SessionCall): void {
    const [first] = requests;
    if (first?.method === "initialize") {
      this.#opening = first.id;
    }
    const key = { sessionId: this.sessionId, streamId: String(++this.#lastStream) };
    const post = new Post(requests, exchange, headers, this.#settings, { key, prime: this.#primes });
    for (const { id } of requests) {
      this.#posts.set(id, post);
    }
    if (this.#settings.eventStore !== undefined) {
      info.closeStream = () => post.closeStream();
    }
  }

  #dropCancelled(message: Message): void {
    if (!("method" in message) || message.method !== "notifications/cancelled" || !isRecord(message.params)) {
      return;
    }
    const id = message.params["requestId"] as RequestId;
    this.#posts.take(id)?.drop(id);
  }

  #write(message: Outgoing, relatedTo: RequestId | undefined): Promise<void> | undefined {
    if (isMany(message)) {
      this.#answer(message as readonly Response[], true);
      return undefined;
    }
    if (isResponse(message)) {
      this.#answer([message], false);
      return undefined;
    }
    const post = relatedTo === undefined ? undefined : this.#posts.get(relatedTo);
    if (post !== undefined) {
      return post.send(message);
    }
    return relatedTo === undefined ? this.#standalone.send(encode(message), subjectOf(message)) : undefined;
  }

  #answer(responses: readonly Response[], batch: boolean): void {
    const post = responses
      .map(({ id }) => this.#posts.get(id as RequestId))
      .find((candidate) => candidate !== undefined);
    if (post === undefined) {
      return;
    }
    const ids = batch ? [...post.open] : responses.map(({ id }) => id as RequestId);
    this.#noteVersion(responses[0]);
    post.answer(responses, batch);
    for (const id of ids) {
      this.#posts.take(id);
    }
  }

  #noteVersion(response: Response | undefined): void {
    if (response === undefined || this.#opening === undefined || response.id !== this.#opening) {
      return;
    }
    this.#opening = undefined;
    const version = "result" in response && isRecord(response.result) && response.result["protocolVersion"];
    this.#version = typeof version === "string" ? version : undefined;
  }

  #channelOf(streamId: string): Channel | undefined {
    if (streamId === "0") {
      return this.#standalone;
    }
    return this.#posts.values().find(({ channel }) => channel?.key.streamId === streamId)?.channel;
  }
}
