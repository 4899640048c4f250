import { isRecord } from "@tenon/base";

import type { Emitter } from "../listen.ts";

/** The property that distinguishes the envelopes of this package on a channel. */
const key = "dev.tenon/broadcast";

/**
 * A message on a `BroadcastChannel`. All listeners of the channel receive it.
 *
 * - `ready`: a server has begun to listen.
 * - `call`: a client requests a connection. `leave` withdraws the request.
 * - `accept`, `refuse`: the response of a server to a client.
 * - `frame`: a frame of a connection.
 * - `left`: the sender has read all frames of a connection up to its end. Only then may the
 *   receiver release its lock: locks and messages have no common order.
 */
export interface Envelope {
  readonly kind: "ready" | "call" | "leave" | "accept" | "refuse" | "frame" | "left";
  /** The id of the sender. A server has an id for each connection. */
  readonly from: string;
  /** The id of the receiver. `""` addresses all listeners. */
  readonly to: string;
  /** The name of a lock that the sender holds as long as it exists; `""` for none. */
  readonly lock: string;
  readonly frame?: unknown;
}

const kinds: ReadonlySet<unknown> = new Set<Envelope["kind"]>([
  "ready",
  "call",
  "leave",
  "accept",
  "refuse",
  "frame",
  "left",
]);

/** Sends an envelope. Throws what the platform throws. */
export type Send = (kind: Envelope["kind"], to: string, frame?: unknown) => void;

/** A `BroadcastChannel`. */
export interface Channel extends Emitter {
  postMessage(message: unknown): void;
  close(): void;
}

/** Creates the function that sends envelopes from one id. */
export function senderOf(channel: Channel, from: string, lock: string): Send {
  return (kind, to, frame) => {
    const envelope: Envelope = { kind, from, to, lock, frame };
    channel.postMessage({ [key]: envelope });
  };
}

/** Reads an envelope; `undefined` for anything else that is sent on the channel. */
export function envelopeOf(data: unknown): Envelope | undefined {
  const envelope = isRecord(data) && Object.hasOwn(data, key) ? data[key] : undefined;
  return isRecord(envelope) &&
    kinds.has(envelope["kind"]) &&
    isId(envelope["from"]) &&
    isId(envelope["to"]) &&
    isId(envelope["lock"])
    ? (envelope as unknown as Envelope)
    : undefined;
}

/** The ids that servers keep have a bounded length. */
function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= 64;
}
