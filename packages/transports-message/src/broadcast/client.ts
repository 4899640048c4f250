import {
  checkOptionNames,
  readLimits,
  systemClock,
  type Clock,
  type LimitRules,
  type ResolvedLimits,
} from "@tenon/base";
import { LocalError, type Connection, type Transport } from "@tenon/jsonrpc2/core";

import { frameOf, randomId } from "../control.ts";
import { messageLimits, type MessageLimits } from "../limits.ts";
import { Link } from "../link.ts";
import { listen } from "../listen.ts";
import { createWarner } from "../warner.ts";
import { envelopeOf, senderOf, type Envelope } from "./envelope.ts";
import { holdPresence, maxPartingMs, watchPresence, type Presence } from "./presence.ts";

/** Limits of {@link broadcastTransport}. */
export interface BroadcastLimits extends MessageLimits {
  /**
   * Maximum time until a server on the channel accepts the connection, in milliseconds. The server
   * may begin to listen within this time. Default: `10_000`.
   */
  readonly connectTimeoutMs?: number | undefined;
}

/** Options of {@link broadcastTransport}. */
export interface BroadcastOptions {
  /** Limits of received and written messages. Each limit has its own default. */
  readonly limits?: BroadcastLimits | undefined;
  /**
   * Called when a message is dropped because its sender is not the server of the connection, for
   * the 1st, 2nd, 4th, 8th message and so on. By default dropped messages are not reported.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

const limitRules: LimitRules<BroadcastLimits> = { ...messageLimits, connectTimeoutMs: [10_000, 0] };

/**
 * Creates the transport of a client over a `BroadcastChannel`. It connects to a server that
 * listens on the same channel with `listenOnBroadcast`. If several servers listen, it connects to
 * the server that responds first. Each call of `connect` opens a connection of its own.
 *
 * A channel does not protect its messages: every script of the same origin can read and send them.
 *
 * @param name - The name of the channel.
 * @example
 * const session = await client.connect(broadcastTransport("notes"));
 *
 * @throws `TypeError` for options that do not exist or are out of range. `connect` rejects with a
 *   `LocalError`: `TIMEOUT` if no server responds, `LIMIT_EXCEEDED` if the server has too many
 *   connections.
 */
export function broadcastTransport(name: string, options: BroadcastOptions = {}): Transport {
  checkOptionNames("broadcastTransport", options, "limits onWarning clock", limitRules);
  const limits = readLimits(options.limits, limitRules);
  const { clock = systemClock } = options;
  const warn = createWarner(options.onWarning);
  return {
    async connect({ signal } = {}) {
      signal?.throwIfAborted();
      const id = randomId();
      const presence = await holdPresence(`dev.tenon/broadcast/${id}`);
      try {
        signal?.throwIfAborted();
        return await call({ name, id, presence, limits, clock, warn, signal });
      } catch (error) {
        presence.end();
        throw error;
      }
    },
  };
}

/** An attempt to connect. */
interface Attempt {
  readonly name: string;
  readonly id: string;
  readonly presence: Presence;
  readonly limits: ResolvedLimits<BroadcastLimits>;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

function call({ name, id, presence, limits, clock, warn, signal }: Attempt): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(name);
    const send = senderOf(channel, id, presence.lock);
    let link: Link | undefined;
    let server = "";
    /** Called when the server has read everything. */
    let left: (() => void) | undefined;

    const settle = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      stop();
      send("leave", "");
      channel.close();
      reject(error);
    };
    const onAbort = (): void => fail(signal?.reason);

    const accept = ({ from, lock }: Envelope): void => {
      settle();
      server = from;
      let isLost = false;
      const end = (): void => {
        clock.clearTimeout(parting);
        stop();
        unwatch();
        channel.close();
        presence.end();
      };
      let parting: unknown;
      const opened = new Link(
        {
          post: (frame) => send("frame", server, frame),
          close() {
            send("left", server);
            if (isLost || presence.lock === "" || lock === "") {
              end();
            } else {
              left = end;
              parting = clock.setTimeout(end, maxPartingMs, false);
            }
          },
        },
        { limits },
      );
      const unwatch = watchPresence(lock, () => {
        isLost = true;
        opened.lose("The server no longer exists.");
        left?.();
      });
      link = opened;
      resolve(opened);
    };

    const respond = (envelope: Envelope): void => {
      if (envelope.kind === "accept") {
        accept(envelope);
      } else if (envelope.kind === "refuse") {
        const message = `The server on channel ${JSON.stringify(name)} has too many connections (maxConnections).`;
        fail(new LocalError("LIMIT_EXCEEDED", message));
      }
    };

    const receive = (envelope: Envelope): void => {
      if (envelope.to === "" && envelope.kind === "ready" && link === undefined) {
        send("call", "");
      } else if (envelope.to !== id) {
        return;
      } else if (link === undefined) {
        respond(envelope);
      } else if (envelope.from === server) {
        if (envelope.kind === "left") {
          left?.();
        } else {
          link.receive(envelope.frame);
        }
      } else if (envelope.kind === "accept") {
        // Another server came too late.
        send("frame", envelope.from, frameOf({ kind: "close", id: "" }));
      } else if (envelope.kind !== "refuse") {
        warn("Dropped a message that is not from the server of its connection.");
      }
    };

    const stop = listen(channel, {
      message({ data }) {
        const envelope = envelopeOf(data);
        if (envelope === undefined) {
          warn(`Dropped a message on channel ${JSON.stringify(name)} that is not from this package.`);
        } else {
          receive(envelope);
        }
      },
      messageerror: () => warn(`Dropped a message on channel ${JSON.stringify(name)} that cannot be read.`),
    });
    const timer = clock.setTimeout(
      () => {
        const message = `No server on channel ${JSON.stringify(name)} responded within ${limits.connectTimeoutMs} ms (connectTimeoutMs).`;
        fail(new LocalError("TIMEOUT", message));
      },
      limits.connectTimeoutMs,
      true,
    );
    signal?.addEventListener("abort", onAbort);
    send("call", "");
  });
}
