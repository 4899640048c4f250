import type { LimitRules } from "@tenon/base";
import type { DecodeLimits } from "@tenon/jsonrpc2";
import { decodeLimits } from "@tenon/jsonrpc2/transport";

/** Limits of a connection that exchanges messages with another thread or document. */
export interface MessageLimits extends DecodeLimits {
  /**
   * Maximum number of received messages that have not been read. Writes of the remote peer then
   * wait. A peer that does not wait is disconnected at 16 times as many. Default: `1_024`.
   */
  readonly maxQueued?: number | undefined;
  /**
   * Maximum size of the received messages that have not been read, in UTF-16 code units of JSON.
   * Works like `maxQueued`: one message may exceed it, then writes wait. Default: `1_048_576` (1
   * Mi).
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * Maximum number of writes that wait for the remote peer. Further writes reject with
   * `LIMIT_EXCEEDED`, and so do writes above 16 times `maxBufferedBytes`, except for responses of
   * up to 65,536 UTF-16 code units, 16,777,216 together. Default: `65_536`.
   */
  readonly maxWaiting?: number | undefined;
}

/** The rules of {@link MessageLimits}. */
export const messageLimits: LimitRules<MessageLimits> = {
  ...decodeLimits,
  maxQueued: [1024, 1],
  maxBufferedBytes: [1024 * 1024, 1],
  maxWaiting: [65_536, 0],
};

/** Above this many times its limit, a queue fails instead of waiting. */
export const queueFactor = 16;
