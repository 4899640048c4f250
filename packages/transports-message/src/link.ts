import type { ResolvedLimits } from "@tenon/base";
import {
  connectionClosed,
  encode,
  LocalError,
  type Connection,
  type Incoming,
  type Outgoing,
  type WriteOptions,
} from "@tenon/jsonrpc2/core";
import { decodeLimitsOf } from "@tenon/jsonrpc2/transport";

import { controlOf, frameOf, randomId, type Control, type Room } from "./control.ts";
import { Inflow } from "./inflow.ts";
import type { MessageLimits } from "./limits.ts";
import { Outflow } from "./outflow.ts";
import { createReceiver, unreadable, type Received } from "./received.ts";

/** The carrier of the frames of a {@link Link}. */
export interface Wire {
  /** Sends a value as a structured clone. Throws what the platform throws. */
  post(frame: unknown): void;
  /** Releases what the wire holds. Called once. */
  close(): void;
}

/** Options of a {@link Link}. */
export interface LinkOptions {
  readonly limits: ResolvedLimits<MessageLimits>;
  /**
   * Whether the wire loses frames that are sent before the remote peer listens. Default: `false`.
   */
  readonly isLossy?: boolean | undefined;
  /** See `Connection.answersUnidentified`. Default: `true`. */
  readonly answersUnidentified?: boolean | undefined;
}

/**
 * A connection over a wire of structured clones. With a remote peer of this package it exchanges
 * JSON text, and writes wait while the peer does not read. With any other it exchanges JSON-RPC
 * objects, and writes never wait.
 */
export class Link implements Connection {
  readonly answersUnidentified: boolean;
  readonly #wire: Wire;
  readonly #isLossy: boolean;
  readonly #room: Room;
  readonly #id = randomId();
  readonly #receive: (data: unknown) => Received;
  readonly #inflow: Inflow;
  readonly #outflow: Outflow;
  #isOpen = false;
  /** Whether the remote peer understands control frames. `undefined`: it has sent nothing yet. */
  #isKin: boolean | undefined;
  /** The id of the remote peer, once it has opened. */
  #peer: string | undefined;
  #end: { readonly cause: unknown } | undefined;

  constructor(wire: Wire, { limits, isLossy = false, answersUnidentified = true }: LinkOptions) {
    this.#wire = wire;
    this.#isLossy = isLossy;
    this.answersUnidentified = answersUnidentified;
    const { maxQueued, maxBufferedBytes, maxMessageBytes } = limits;
    this.#room = { maxQueued, maxBufferedBytes, maxMessageBytes };
    this.#receive = createReceiver(decodeLimitsOf(limits));
    this.#inflow = new Inflow(this.#room, (count) => {
      if (this.#isKin === true) {
        this.#tell({ kind: "read", count });
      }
    });
    this.#outflow = new Outflow(
      { post: (text) => this.#post(text), ask: () => this.#tell({ kind: "wait" }) },
      limits,
    );
  }

  read(): Promise<Incoming | undefined> {
    return this.#inflow.read();
  }

  write(message: Outgoing, options?: WriteOptions): Promise<void> {
    if (this.#end !== undefined) {
      return Promise.reject(connectionClosed(undefined, this.#end));
    }
    try {
      return this.#outflow.write(encode(message), options?.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  close(): Promise<void> {
    if (this.#end === undefined) {
      this.#tell({ kind: "close", id: this.#id });
    }
    this.#finish({ discard: true });
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Handles a frame that arrived on the wire. */
  receive(data: unknown): void {
    if (this.#end !== undefined) {
      return;
    }
    const control = controlOf(data);
    if (control === undefined) {
      if (this.#isKin === undefined) {
        this.#isKin = false;
        this.#outflow.unlimit();
      }
      this.#put(this.#receive(data));
    } else {
      this.#isKin = true;
      if (control !== "unknown") {
        this.#obey(control);
      }
    }
  }

  /**
   * Whether data is the last frame of the remote peer, proved by an id that only the two ends know.
   */
  isFarewell(data: unknown): boolean {
    const control = controlOf(data);
    return typeof control === "object" && control.kind === "close" && control.id === this.#peer;
  }

  /** Something arrived that the platform could not deserialize. */
  receiveUnreadable(): void {
    this.#put(unreadable);
  }

  /** The wire has ended without a word from the remote peer. */
  lose(message: string): void {
    // Others have no word for it.
    this.#finish(this.#isKin === true ? { error: connectionClosed(message) } : {});
  }

  #put(received: Received): void {
    const error = this.#inflow.put(received);
    if (error !== undefined) {
      this.#tell({ kind: "close", id: this.#id });
      this.#finish({ error });
    }
  }

  #obey(control: Control): void {
    switch (control.kind) {
      case "open":
        this.#meet(control);
        break;
      case "read":
        this.#outflow.acknowledge(control.count);
        break;
      case "wait":
        this.#inflow.want();
        break;
      case "close":
        this.#finish({});
        break;
      default:
        control satisfies never;
    }
  }

  #meet({ id, isReply, room }: Control & { readonly kind: "open" }): void {
    if (this.#peer !== undefined && this.#peer !== id) {
      this.#finish({
        error: connectionClosed("The document of the remote peer was loaded again. Connect again."),
      });
      return;
    }
    if (this.#peer === undefined && this.#isLossy) {
      this.#outflow.forget();
    }
    this.#peer = id;
    if (!isReply) {
      this.#open(true);
    }
    this.#outflow.limit(room);
  }

  #open(isReply: boolean): void {
    this.#isOpen = true;
    this.#tell({ kind: "open", id: this.#id, isReply, room: this.#room });
  }

  #post(text: string): void {
    // A peer that is known to ignore control frames gets none, unless others may have been lost.
    if (!this.#isOpen && (this.#isLossy || this.#isKin !== false)) {
      this.#open(this.#peer !== undefined);
    }
    if (this.#end !== undefined) {
      throw connectionClosed(undefined, this.#end);
    }
    try {
      this.#wire.post(this.#isKin === true ? text : JSON.parse(text));
    } catch (cause) {
      if (isUncloneable(cause)) {
        throw new LocalError("NOT_SERIALIZABLE", "The platform could not clone the message.", { cause });
      }
      const error = connectionClosed(undefined, { cause });
      this.#finish({ error });
      throw error;
    }
  }

  /** Control frames have no caller: if one cannot be sent, neither can messages. */
  #tell(control: Control): void {
    if (this.#end !== undefined) {
      return;
    }
    try {
      this.#wire.post(frameOf(control));
    } catch (error) {
      this.#finish({ error: connectionClosed(undefined, { cause: error }) });
    }
  }

  #finish(how: { readonly discard?: boolean; readonly error?: unknown }): void {
    this.#inflow.end(how);
    if (this.#end === undefined) {
      this.#end = { cause: how.error };
      this.#outflow.end(how.error);
      this.#wire.close();
    }
  }
}

function isUncloneable(error: unknown): boolean {
  return error instanceof Error && error.name === "DataCloneError";
}
