import { isRecord } from "@tenon/base";
import {
  ErrorCode,
  isMany,
  isRequest,
  isResponse,
  withExtra,
  type Incoming,
  type Message,
  type Outgoing,
  type Request,
  type RequestId,
  type Response,
  type Connection,
  type WriteOptions,
} from "@tenon/jsonrpc2/core";
import { findMethod } from "@tenon/protocol";
import type { SessionRecord } from "@tenon/stores";

import type { RequestInfo } from "../request-info.ts";
import type { Session } from "../session.ts";
import type { Addresses } from "./addresses.ts";
import { changed, changeOf, readFacts, stepsBetween, type FactChange, type Facts } from "./facts.ts";

/** The dependencies of a {@link Replica} on its keeper. */
export interface ReplicaOwner {
  readonly addresses: Addresses;
  /** Adds a change to the record of the session. @returns The record, if the session exists. */
  share(change: FactChange): Promise<SessionRecord | undefined>;
  /** Sends a message on the stream that another process has. @returns Whether it was sent. */
  say(node: string, message: Message): Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/**
 * The connection between a server and a session that other processes serve too. It brings the
 * server to the state of the record, and records what changes that state.
 */
export class Replica implements Connection {
  /** The process that has the standalone stream, unless it is this process. */
  streamNode: string | undefined;
  readonly network: Connection["network"];
  readonly #session: Session;
  readonly #owner: ReplicaOwner;
  /** Requests of this object, which no client waits for. */
  readonly #own = new Map<RequestId, (response: Response | undefined) => void>();
  /** Changes to record when the server has accepted them, by the ID of their requests. */
  readonly #changes = new Map<RequestId, FactChange>();
  /** Changes that the server has accepted, and that may not be in the record yet. */
  readonly #unstored = new Set<FactChange>();
  #facts: Facts = {};
  #version = 0;
  #steps: Promise<void> = Promise.resolve();
  #lastId = 0;

  constructor(session: Session, owner: ReplicaOwner) {
    this.#session = session;
    this.#owner = owner;
    this.network = session.network;
  }

  /** Sets the record that this process has created. */
  opened({ version }: SessionRecord): void {
    this.#version = version;
  }

  /** Repeats `initialize` for the server of this process. @returns Whether it succeeded. */
  async rebuild({ opening }: SessionRecord, info: RequestInfo): Promise<boolean> {
    const { params } = JSON.parse(opening) as { params: object };
    const response = await this.#request("initialize", params, info);
    const result = response !== undefined && "result" in response ? response.result : undefined;
    const version = isRecord(result) ? result["protocolVersion"] : undefined;
    if (typeof version === "string") {
      this.#session.continueAs(version);
      return true;
    }
    return false;
  }

  /** Brings the server to the state of a record. */
  apply(record: SessionRecord, info?: RequestInfo): Promise<void> {
    if (record.version <= this.#version) {
      return this.#steps;
    }
    this.#version = record.version;
    this.streamNode = record.node;
    this.#steps = this.#steps.then(async () => {
      const facts = [...this.#unstored].reduce(changed, readFacts(record.facts));
      const steps = stepsBetween(this.#facts, facts);
      this.#facts = facts;
      for (const { method, params } of steps) {
        if (method.startsWith("notifications/")) {
          this.#session.put(attached({ jsonrpc: "2.0", method, params }, info));
        } else {
          await this.#request(method, params, info);
        }
      }
    });
    return this.#steps;
  }

  /**
   * Called before the server gets messages of the client. Settles when other processes can see the
   * changes that need no response.
   */
  async receive(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      const change = "method" in message ? changeOf(message.method, message.params) : undefined;
      if (change !== undefined && isRequest(message)) {
        this.#changes.set(message.id, change);
      } else if (change !== undefined) {
        await this.#record(change);
      }
    }
  }

  async read(): Promise<Incoming | undefined> {
    return this.#session.read();
  }

  async write(message: Outgoing, options?: WriteOptions): Promise<void> {
    if (isMany(message)) {
      const recorded = [];
      for (const response of message as readonly Response[]) {
        recorded.push(await this.#recorded(response));
      }
      return this.#session.write(recorded, options);
    }
    if (isResponse(message)) {
      const settle = this.#own.get(message.id as RequestId);
      if (settle !== undefined) {
        this.#own.delete(message.id as RequestId);
        settle(message);
        return;
      }
      return this.#session.write(this.#changes.size === 0 ? message : await this.#recorded(message), options);
    }
    const outward = this.#owner.addresses.outward(message);
    return options?.relatedTo === undefined && (await this.#elsewhere(outward))
      ? undefined
      : this.#session.write(outward, options);
  }

  close(): Promise<void> {
    for (const settle of this.#own.values()) {
      settle(undefined);
    }
    this.#own.clear();
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sends a message at the process that has the standalone stream. */
  async #elsewhere(message: Message): Promise<boolean> {
    const node = this.streamNode;
    if (node === undefined || this.#session.listens || !("method" in message) || message.method === "ping") {
      return false;
    }
    // Every process sends changes to its own readers.
    if (findMethod(message.method)?.change !== undefined) {
      return true;
    }
    try {
      return await this.#owner.say(node, message);
    } catch (error) {
      this.#owner.onError(error);
      return false;
    }
  }

  /** Records the change of a request that has succeeded, before its client learns of it. */
  async #recorded(response: Response): Promise<Response> {
    const id = response.id as RequestId;
    const change = this.#changes.get(id);
    this.#changes.delete(id);
    if (change === undefined || "error" in response) {
      return response;
    }
    try {
      await this.#record(change);
      return response;
    } catch (error) {
      this.#owner.onError(error);
      const message = "The change of the session could not be stored";
      return { jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message } };
    }
  }

  async #record(change: FactChange): Promise<void> {
    this.#facts = changed(this.#facts, change);
    this.#unstored.add(change);
    let record: SessionRecord | undefined;
    try {
      record = await this.#owner.share(change);
    } finally {
      this.#unstored.delete(change);
    }
    if (record !== undefined) {
      // Other processes may have changed it before. Not awaited, because the server that gets these
      // changes may wait for this one.
      this.apply(record).catch(this.#owner.onError);
    }
  }

  #request(method: string, params: object, info: RequestInfo | undefined): Promise<Response | undefined> {
    const id = `replica-${++this.#lastId}-${crypto.randomUUID()}`;
    const request: Request = { jsonrpc: "2.0", id, method, params };
    return new Promise((resolve) => {
      this.#own.set(id, resolve);
      this.#session.put(attached(request, info));
    });
  }
}

function attached(message: Message, info: RequestInfo | undefined): Message {
  return info === undefined ? message : (withExtra(message, info) as Message);
}
