import { readLimits, type LimitRules, type ResolvedLimits } from "@tenon/base";

/**
 * Limits on the input of a decoder. Input above one of them is rejected with `-32600`, and reading
 * continues.
 */
export interface DecodeLimits {
  /**
   * Maximum size of a message, or of a batch, in bytes (for strings: UTF-16 code units). Default:
   * `10_485_760` (10 MiB).
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Maximum nesting depth of arrays and objects, at most 2000. The envelope has depth 1. Default:
   * `512`.
   */
  readonly maxDepth?: number | undefined;
  /**
   * Maximum number of values: commas and opening brackets outside of strings. They are counted
   * before parsing, because many small values cost a hundred times as much memory as one long
   * string. Default: `100_000` (or one for every 4 bytes of the message, if that is more).
   */
  readonly maxValues?: number | undefined;
  /** Maximum number of messages in a batch. Default: `100`. */
  readonly maxBatch?: number | undefined;
  /** Maximum length of a string id, in UTF-16 code units. Default: `256`. */
  readonly maxIdLength?: number | undefined;
}

/**
 * The value of `maxValues` if it is not given: the default depends on the message. Users cannot set
 * this value, because it is not an integer.
 */
const byLength = 100_000.5;

/** The values that a message of this length may have. */
export function valuesAllowed(maxValues: number, length: number): number {
  return maxValues === byLength ? Math.max(100_000, Math.floor(length / 4)) : maxValues;
}

/**
 * The rules of {@link DecodeLimits}. The check for depth is recursive, so `maxDepth` has a greatest
 * value.
 */
export const decodeLimits: LimitRules<DecodeLimits> = {
  maxMessageBytes: [10 * 1024 * 1024, 1],
  maxDepth: [512, 1, 2000],
  maxValues: [100_000, 1, undefined, byLength],
  maxBatch: [100, 1],
  maxIdLength: [256, 0],
};

/** How much of a frame that is refused is looked at to find its id. */
export const headLength = 1024;

/** The defaults of {@link DecodeLimits}. */
export const defaultLimits: ResolvedLimits<DecodeLimits> = /* @__PURE__ */ readLimits({}, decodeLimits);

/** The limits of a decoder, out of resolved limits that contain them. */
export function decodeLimitsOf(limits: ResolvedLimits<DecodeLimits>): ResolvedLimits<DecodeLimits> {
  const { maxMessageBytes, maxDepth, maxValues, maxBatch, maxIdLength } = limits;
  return { maxMessageBytes, maxDepth, maxValues, maxBatch, maxIdLength };
}
