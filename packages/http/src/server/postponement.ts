import type { HeaderFields } from "./exchange.ts";

/** Why a request was not served now: its sender sends too many. */
export interface Postponement {
  /** After how many milliseconds the sender may try again. */
  readonly retryAfterMs: number;
}

/** Returns whether `value` is a {@link Postponement}. */
export function isPostponement(value: unknown): value is Postponement {
  const { retryAfterMs } = (value ?? {}) as Partial<Record<keyof Postponement, unknown>>;
  return typeof retryAfterMs === "number" && retryAfterMs >= 0;
}

/**
 * The header of a response to a sender that must wait, in whole seconds.
 *
 * @source RFC 9110 §10.2.3, RFC 6585 §4
 */
export function postponementHeaders({ retryAfterMs }: Postponement): HeaderFields {
  return Number.isFinite(retryAfterMs)
    ? { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
    : {};
}
