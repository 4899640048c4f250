import {
  connectionClosed,
  isMany,
  withExtra,
  type Connection,
  type Message,
  type Response,
  type WriteOptions,
} from "@tenon/jsonrpc2/core";
import { MessageQueue } from "@tenon/jsonrpc2/transport";
import { Protocol } from "mcp-sdk-1/shared/protocol.js";
import type { Transport, TransportSendOptions } from "mcp-sdk-1/shared/transport.js";
import type { JSONRPCMessage, MessageExtraInfo } from "mcp-sdk-1/types.js";

import { extendOnce } from "./internals.ts";

const offers = extendOnce(
  Protocol.prototype,
  "offers",
  () => new WeakMap<Transport, () => Promise<Connection> | undefined>(),
);

/**
 * Called by a transport of this package, which can do without the official interface.
 *
 * @param connect - Connects; `undefined` if the program has changed the transport, so that messages
 *   have to take the way of the official interface.
 */
export function offerConnection(transport: Transport, connect: () => Promise<Connection> | undefined): void {
  offers.set(transport, connect);
}

/** The connection that a transport has offered. */
export function offeredBy(transport: Transport): Promise<Connection> | undefined {
  return offers.get(transport)?.();
}

/** The callbacks of the owner of a connection. */
export interface ConnectionEvents {
  /** Options of the transport for one message, which `WriteOptions` does not carry. */
  optionsOf(message: Message): TransportSendOptions | undefined;
  /** Whether the owner has taken a message, in the turn in which it came. */
  takes(message: Message): boolean;
  /** Called with input that is not a message. */
  onUnknown(message: unknown): void;
  /** The transport has closed. Called in the same turn. */
  onEnd(): void;
  /** Whether the end of the connection is not reported: it is a first attempt. */
  isAttempt(): boolean;
}

/** A connection over a transport of the official interface, any program's own included. */
export interface TransportConnection extends Connection {
  /** Starts the transport. */
  start(): Promise<void>;
  /** Restores the callbacks of the transport. */
  release(): void;
  /** Whether the transport has ended, and its end was not reported. */
  readonly isUnreported: boolean;
  /** Reports an end that was not reported, because it was the end of a first attempt. */
  reportEnd(): void;
}

/** Makes a connection of a transport, and sets the callbacks of the transport. */
export function connectionOf(transport: Transport, events: ConnectionEvents): TransportConnection {
  // A transport of this interface cannot be slowed down: it pushes, as to the official engine.
  const queue = new MessageQueue();
  let isEnded = false;
  let isUnreported = false;
  const { onclose, onmessage } = transport;
  transport.onmessage = (message: unknown, extra?: MessageExtraInfo): void => {
    (onmessage as ((message: unknown, extra?: MessageExtraInfo) => void) | undefined)?.(message, extra);
    if (isMessage(message)) {
      if (events.takes(message)) {
        return;
      }
      void queue.put(extra === undefined ? message : withExtra(message, { official: extra }));
    } else {
      events.onUnknown(message);
    }
  };
  transport.onclose = (): void => {
    isUnreported = events.isAttempt();
    if (!isUnreported) {
      onclose?.();
    }
    isEnded = true;
    queue.end();
    if (!isUnreported) {
      events.onEnd();
    }
  };
  return {
    start: () => transport.start(),
    release: () => {
      Object.assign(transport, { onclose, onmessage });
    },
    get isUnreported() {
      return isUnreported;
    },
    reportEnd: () => {
      if (isUnreported) {
        isUnreported = false;
        onclose?.();
        events.onEnd();
      }
    },
    get sessionId() {
      return transport.sessionId;
    },
    read: () => queue.read(),
    write: async (outgoing, options) => {
      if (isEnded) {
        throw connectionClosed();
      }
      for (const message of isMany(outgoing) ? outgoing : [outgoing]) {
        if ("method" in message) {
          await transport.send(message as JSONRPCMessage, sendOptions(message, options, events));
        } else {
          await transport.send(inOfficialOrder(message) as JSONRPCMessage);
        }
      }
    },
    close: async () => {
      if (!isEnded) {
        await transport.close();
      }
      isEnded = true;
      queue.end();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** The official engine passes options with requests and related notifications. */
function sendOptions(
  message: Message,
  options: WriteOptions | undefined,
  events: ConnectionEvents,
): TransportSendOptions | undefined {
  const more = events.optionsOf(message);
  const related = options?.relatedTo;
  return "id" in message || related !== undefined || more !== undefined
    ? { relatedRequestId: related, ...more }
    : undefined;
}

/** The keys of a response in the order of the official engine, which is seen in the text. */
function inOfficialOrder(response: Response): Response {
  return "result" in response ? { result: response.result, jsonrpc: "2.0", id: response.id } : response;
}

function isMessage(message: unknown): message is Message {
  return (
    typeof message === "object" &&
    message !== null &&
    ("method" in message || "result" in message || "error" in message)
  );
}
