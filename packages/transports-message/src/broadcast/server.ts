import {
  checkOptionNames,
  errorSink,
  readLimits,
  systemClock,
  takeLateFailure,
  type LimitRules,
  type ResolvedLimits,
} from "@tenon/base";
import { LocalError, type Transport } from "@tenon/jsonrpc2/core";

import { randomId } from "../control.ts";
import { messageLimits, type MessageLimits } from "../limits.ts";
import { Link } from "../link.ts";
import { listen } from "../listen.ts";
import { createWarner } from "../warner.ts";
import { envelopeOf, senderOf, type Channel, type Envelope } from "./envelope.ts";
import { holdPresence, maxPartingMs, watchPresence, type Presence } from "./presence.ts";

/** Limits of {@link listenOnBroadcast}. */
export interface BroadcastListenerLimits extends MessageLimits {
  /**
   * Maximum number of open connections. `connect` of further clients rejects with `LIMIT_EXCEEDED`.
   * Default: `256`.
   */
  readonly maxConnections?: number | undefined;
}

/** Options of {@link listenOnBroadcast}. */
export interface BroadcastListenerOptions {
  /**
   * Called for each client. The transport connects once: pass it to `server.connect`. If the
   * callback throws or its promise rejects, the connection is closed.
   */
  readonly onConnection: (transport: Transport) => unknown;
  /** Limits of the listener and of each connection. Each limit has its own default. */
  readonly limits?: BroadcastListenerLimits | undefined;
  /**
   * Called when a message is dropped because its sender is not the client of the connection, for
   * the 1st, 2nd, 4th, 8th message and so on. By default dropped messages are not reported.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Called with errors of `onConnection`. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A server on a channel. */
export interface BroadcastListener extends AsyncDisposable {
  /** The number of open connections. */
  readonly connections: number;
  /** Stops listening and closes all connections. Idempotent. */
  close(): Promise<void>;
}

const limitRules: LimitRules<BroadcastListenerLimits> = { ...messageLimits, maxConnections: [256, 1] };

/**
 * Accepts connections of clients that use `broadcastTransport` with the same channel. Every
 * connection has two random ids, one for each side, and messages with other ids are dropped.
 *
 * A channel does not protect its messages: every script of the same origin can read and send them.
 * On platforms with `navigator.locks` a lock detects that a client disappeared without `close`.
 *
 * @param name - The name of the channel.
 * @example
 * await using listener = listenOnBroadcast("notes", {
 *   onConnection: (transport) => server.connect(transport),
 * });
 *
 * @throws `TypeError` for options that are missing, do not exist or are out of range.
 */
export function listenOnBroadcast(name: string, options: BroadcastListenerOptions): BroadcastListener {
  checkOptionNames("listenOnBroadcast", options, "onConnection limits onWarning onError", limitRules);
  if (typeof options?.onConnection !== "function") {
    throw new TypeError("listenOnBroadcast requires onConnection, a function that receives a transport.");
  }
  return new Listener(name, options, readLimits(options.limits, limitRules));
}

interface Accepted {
  readonly client: string;
  readonly link: Link;
}

class Listener implements BroadcastListener {
  readonly #channel: Channel;
  readonly #options: BroadcastListenerOptions;
  readonly #limits: ResolvedLimits<BroadcastListenerLimits>;
  readonly #warn: (message: string) => void;
  readonly #onError: (error: unknown) => void;
  /** By the ids of the local ends. */
  readonly #accepted = new Map<string, Accepted>();
  /** The connections that have ended here, and what their clients are waited for with. */
  readonly #parting = new Map<string, () => void>();
  readonly #stop: () => void;
  readonly #presence: Promise<Presence>;
  #lock = "";
  #isReady = false;
  #isClosed = false;

  constructor(
    name: string,
    options: BroadcastListenerOptions,
    limits: ResolvedLimits<BroadcastListenerLimits>,
  ) {
    this.#channel = new BroadcastChannel(name);
    this.#options = options;
    this.#limits = limits;
    this.#warn = createWarner(options.onWarning);
    this.#onError = errorSink(options.onError);
    const from = randomId();
    this.#presence = holdPresence(`dev.tenon/broadcast/${from}`);
    this.#stop = listen(this.#channel, {
      message: ({ data }) => this.#receive(data),
      messageerror: () => this.#warn("Dropped a message that cannot be read."),
    });
    void this.#begin(from);
  }

  get connections(): number {
    return this.#accepted.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const parted = this.#lock === "" ? undefined : this.#parted([...this.#accepted.keys()]);
    await Promise.all([...this.#accepted.values()].map(({ link }) => link.close()));
    await parted;
    this.#stop();
    this.#channel.close();
    (await this.#presence).end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Resolves when the clients of connections have read everything, or no longer exist. */
  async #parted(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) {
      return;
    }
    const all = Promise.all(ids.map((id) => new Promise<void>((resolve) => this.#parting.set(id, resolve))));
    let timer: unknown;
    const over = new Promise<void>((resolve) => {
      timer = systemClock.setTimeout(resolve, maxPartingMs, true);
    });
    await Promise.race([all, over]);
    systemClock.clearTimeout(timer);
  }

  /** Invites the clients that have called before. */
  async #begin(from: string): Promise<void> {
    const { lock } = await this.#presence;
    if (!this.#isClosed) {
      this.#isReady = true;
      this.#lock = lock;
      senderOf(this.#channel, from, lock)("ready", "");
    }
  }

  #receive(data: unknown): void {
    const envelope = envelopeOf(data);
    if (envelope === undefined) {
      this.#warn("Dropped a message on the channel that is not from this package.");
      return;
    }
    const { kind, from, to, frame } = envelope;
    if (kind === "call") {
      this.#answer(envelope);
    } else if (kind === "leave") {
      this.#find(from)?.[1].link.lose("The client cancelled connect.");
    } else if (kind === "left") {
      this.#parting.get(to)?.();
    } else if (kind === "frame") {
      const accepted = this.#accepted.get(to);
      if (accepted?.client === from) {
        accepted.link.receive(frame);
      } else if (accepted !== undefined) {
        this.#warn("Dropped a message that is not from the client of its connection.");
      }
    }
  }

  #find(client: string): [id: string, accepted: Accepted] | undefined {
    for (const entry of this.#accepted) {
      if (entry[1].client === client) {
        return entry;
      }
    }
    return undefined;
  }

  #answer({ from, lock }: Envelope): void {
    // A client that calls too early calls again when it receives `ready`.
    if (!this.#isReady || this.#isClosed || this.#find(from) !== undefined) {
      return;
    }
    const id = randomId();
    const send = senderOf(this.#channel, id, this.#lock);
    if (this.#accepted.size >= this.#limits.maxConnections) {
      send("refuse", from);
      return;
    }
    const link = new Link(
      {
        post: (sent) => send("frame", from, sent),
        close: () => {
          unwatch();
          this.#accepted.delete(id);
          send("left", from);
        },
      },
      { limits: this.#limits },
    );
    const unwatch = watchPresence(lock, () => link.lose("The client no longer exists."));
    this.#accepted.set(id, { client: from, link });
    send("accept", from);
    this.#offer(link);
  }

  #offer(link: Link): void {
    const fail = (error: unknown): void => {
      this.#onError(error);
      void link.close();
    };
    let used = false;
    const transport: Transport = {
      connect({ signal } = {}) {
        if (signal?.aborted === true) {
          return Promise.reject(signal.reason);
        }
        if (used) {
          return Promise.reject(new LocalError("INVALID_STATE", "This connection is used already."));
        }
        used = true;
        return Promise.resolve(link);
      },
    };
    try {
      takeLateFailure(this.#options.onConnection(transport), fail);
    } catch (error) {
      fail(error);
    }
  }
}
