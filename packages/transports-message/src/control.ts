import { isRecord } from "@tenon/base";

/** The property that distinguishes control frames from JSON-RPC messages. */
const key = "dev.tenon/link";

/** The limits of a reader. Its remote peer waits above the first two. */
export interface Room {
  readonly maxQueued: number;
  readonly maxBufferedBytes: number;
  readonly maxMessageBytes: number;
}

/**
 * A frame that the two ends of a link exchange besides JSON-RPC messages. Peers of other packages
 * ignore it, because it is not JSON-RPC.
 *
 * - `open` is the first frame of each end. `isReply` tells whether the remote peer has sent `open`
 *   before; otherwise the remote peer replies.
 * - `read` acknowledges that `count` more messages were read.
 * - `wait` requests a `read`, because a write waits.
 * - `close` is the last frame. Its `id` is the `id` of `open`, or `""`.
 */
export type Control =
  | { readonly kind: "open"; readonly id: string; readonly isReply: boolean; readonly room: Room }
  | { readonly kind: "read"; readonly count: number }
  | { readonly kind: "wait" }
  | { readonly kind: "close"; readonly id: string };

/** The frame that is sent for a control. */
export function frameOf(control: Control): object {
  return { [key]: control };
}

/** Reads a frame: a control, `"unknown"` for one of another version, `undefined` for other data. */
export function controlOf(data: unknown): Control | "unknown" | undefined {
  if (!isRecord(data) || !Object.hasOwn(data, key)) {
    return undefined;
  }
  const control = data[key];
  if (!isRecord(control)) {
    return "unknown";
  }
  const { kind, id, isReply, room, count } = control;
  if (kind === "wait") {
    return { kind };
  }
  if (kind === "close" && typeof id === "string") {
    return { kind, id };
  }
  if (kind === "read" && isCount(count)) {
    return { kind, count };
  }
  return kind === "open" && typeof id === "string" && typeof isReply === "boolean" && isRoom(room)
    ? { kind, id, isReply, room }
    : "unknown";
}

function isRoom(value: unknown): value is Room {
  return (
    isRecord(value) &&
    isCount(value["maxQueued"]) &&
    isCount(value["maxBufferedBytes"]) &&
    isCount(value["maxMessageBytes"])
  );
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 1;
}

/** Returns a random identifier of 128 bits, in hexadecimal digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
