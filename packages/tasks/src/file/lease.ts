import { stat, utimes } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { hasCode } from "@tenon/base";

import { TaskError } from "../error.ts";

/** Times of the renewals of a lock file. Tests shorten them. */
export interface LeaseTimes {
  /** How long a lock lasts without being renewed, in milliseconds. */
  readonly leaseMs: number;
  /** Time between two renewals, in milliseconds. */
  readonly renewMs: number;
}

const defaults: LeaseTimes = { leaseMs: 10_000, renewMs: 2000 };

/** Maximum difference between the clocks of two machines, in milliseconds. */
const maxSkewMs = 60_000;

/** The lease of a lock file. */
export interface Lease {
  /**
   * Checks before a write that the lock is still the own lock, if it was not renewed in time: a
   * process that was suspended may have lost it.
   *
   * @throws `TaskError` `STORE_LOCKED` if another process has taken it.
   */
  verify(): Promise<void> | undefined;
  /** Ends the renewals. */
  stop(): void;
}

/** Renews a lock file until it is stopped, by setting its time. */
export function holdLease(path: string, times?: Partial<LeaseTimes>): Lease {
  const { leaseMs, renewMs } = { ...defaults, ...times };
  let renewedAt = performance.now();
  let isLost = false;
  const renew = async (): Promise<void> => {
    const now = performance.now();
    try {
      const date = new Date();
      await utimes(path, date, date);
      renewedAt = now;
    } catch (error) {
      isLost ||= hasCode(error, "ENOENT");
    }
  };
  const timer = setInterval(() => void renew(), renewMs);
  timer.unref();
  const verify = async (): Promise<void> => {
    await renew();
    if (isLost) {
      throw new TaskError(
        "STORE_LOCKED",
        `Another process has taken the task store, because this process did not renew its lock for ${leaseMs} ms (${path}).`,
      );
    }
  };
  return {
    verify: () => (isLost || performance.now() - renewedAt > leaseMs / 2 ? verify() : undefined),
    stop: () => {
      clearInterval(timer);
    },
  };
}

/**
 * Whether a process that cannot be seen renews its lock file. Waits for as long as a lease lasts,
 * unless the file changes.
 *
 * @param hasSameClock - Whether the holder runs on the same machine.
 */
export async function isRenewed(
  path: string,
  hasSameClock: boolean,
  times?: Partial<LeaseTimes>,
): Promise<boolean> {
  const { leaseMs, renewMs } = { ...defaults, ...times };
  const first = await timeOf(path);
  if (first === undefined) {
    return false;
  }
  const age = Date.now() - first - (hasSameClock ? 0 : maxSkewMs);
  const until = performance.now() + leaseMs - Math.max(0, age);
  for (;;) {
    const rest = until - performance.now();
    if (rest <= 0) {
      return false;
    }
    await pause(Math.min(rest, renewMs / 4));
    const now = await timeOf(path);
    if (now !== first) {
      // A file that was removed belongs to a process that has gone, or has a successor.
      return now !== undefined;
    }
  }
}

/** When a file was renewed last; `undefined` if it does not exist. */
async function timeOf(path: string): Promise<number | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    // A released lock is empty.
    return size === 0 ? undefined : mtimeMs;
  } catch (error) {
    if (hasCode(error, "ENOENT")) {
      return undefined;
    }
    throw error;
  }
}
