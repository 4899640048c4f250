import type { Identity } from "./authenticate.ts";
import { Deadlines, type Deadline } from "./deadlines.ts";

/**
 * How long a stream outlives the credentials of its reader: clocks differ, and clients renew
 * tokens late.
 */
const graceMs = 30_000;

const expiries: Deadlines = /* @__PURE__ */ new Deadlines();

/** Ends a stream some time after the credentials of its reader have expired. */
export interface Expiry {
  /**
   * Waits for the credentials of a later request of the same principal, if they are valid for
   * longer.
   */
  extend(auth: Identity | undefined): void;
  /** Forgets the stream. Idempotent. */
  cancel(): void;
}

/**
 * Calls back once, 30 s after credentials have expired, to within half a second.
 *
 * @returns `undefined` if the credentials do not expire.
 */
export function watchExpiry(auth: Identity | undefined, end: () => void): Expiry | undefined {
  return auth?.expiresAt === undefined ? undefined : new Watched(deadlineOf(auth.expiresAt), end);
}

/**
 * Credentials expire at a time of day. A change of the system clock must not end a stream early.
 */
function deadlineOf(expiresAt: number): number {
  return performance.now() + (expiresAt - Date.now()) + graceMs;
}

class Watched implements Deadline, Expiry {
  place = -1;
  at: number;
  readonly expire: () => void;

  constructor(at: number, end: () => void) {
    this.at = at;
    this.expire = end;
    expiries.add(this);
  }

  extend(auth: Identity | undefined): void {
    this.at = Math.max(this.at, auth?.expiresAt === undefined ? Infinity : deadlineOf(auth.expiresAt));
  }

  cancel(): void {
    expiries.delete(this);
  }
}
