import { checkOptionNames, readLimits, type ResolvedLimits } from "@tenon/base";
import { LocalError, type Transport } from "@tenon/jsonrpc2/core";

import { messageLimits, type MessageLimits } from "./limits.ts";
import { Link } from "./link.ts";
import { listen, type Emitter } from "./listen.ts";

/** A `MessagePort`, of the web or of `node:worker_threads`. */
export interface PortLike extends Emitter {
  /** Sends a structured clone. */
  postMessage(message: unknown): void;
  /** Begins to deliver what was sent to this port. */
  start(): void;
  /** Disconnects both ports of the channel. */
  close(): void;
}

/** Options of {@link portTransport}. */
export interface PortOptions {
  /** Limits of received and written messages. Each limit has its own default. */
  readonly limits?: MessageLimits | undefined;
}

/**
 * Creates a transport over one port of a `MessageChannel`. The other port usually belongs to
 * another thread or document. The transport connects once, and the connection owns the port:
 * `close` closes both ports. The remote peer can still read messages that were written before.
 *
 * The connection also ends if the other port is closed and the platform reports it, as Node does,
 * and browsers whose ports have a `close` event. On other platforms it ends only if the remote peer
 * uses this package and calls `close`.
 *
 * @param port - A port without other listeners. The global object of a worker and `parentPort` are
 *   not suitable: transfer a port of a new `MessageChannel` to the worker.
 * @example
 * const { port1, port2 } = new MessageChannel();
 * await server.connect(portTransport(port2)); // in another thread
 * const session = await client.connect(portTransport(port1));
 *
 * @throws `TypeError` for a value that is not a port, and for options that do not exist or are out
 *   of range; `LocalError` `INVALID_STATE` from a second `connect`.
 */
export function portTransport(port: PortLike, options: PortOptions = {}): Transport {
  checkOptionNames("portTransport", options, "limits", messageLimits);
  const limits = readLimits(options.limits, messageLimits);
  if (typeof port !== "object" || port === null || typeof port.start !== "function") {
    throw new TypeError(
      "portTransport expects a MessagePort. For a worker, create a MessageChannel and transfer one of its ports to the worker.",
    );
  }
  let isClosed = false;
  let used = false;
  const stop = listen(port, {
    close: () => {
      isClosed = true;
    },
  });
  return {
    connect({ signal } = {}) {
      if (signal?.aborted === true) {
        return Promise.reject(signal.reason);
      }
      if (used) {
        const message = "This port is connected already; create another MessageChannel.";
        return Promise.reject(new LocalError("INVALID_STATE", message));
      }
      used = true;
      stop();
      const link = linkOver(port, limits);
      if (isClosed) {
        link.lose(closedMessage);
      }
      return Promise.resolve(link);
    },
  };
}

const closedMessage =
  "The port of the remote peer was closed without a message; its thread has probably ended.";

function linkOver(port: PortLike, limits: ResolvedLimits<MessageLimits>): Link {
  const link = new Link(
    {
      post: (frame) => port.postMessage(frame),
      close() {
        stop();
        port.close();
      },
    },
    { limits },
  );
  const stop = listen(port, {
    message: ({ data }) => link.receive(data),
    messageerror: () => link.receiveUnreadable(),
    close: () => link.lose(closedMessage),
  });
  port.start();
  return link;
}
