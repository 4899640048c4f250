import { inTime, systemClock, type Clock } from "@tenon/base";

/**
 * Finds out whether something that the server needs can be reached. If 8 of its calls have not
 * settled, it is not called again, and counts as failed.
 */
export type HealthCheck = () => unknown;

/** Runs checks, at most once at a time and once per period. */
export interface Checks {
  /** Returns the names of the checks that failed. Never rejects. */
  failed(): Promise<readonly string[]>;
}

/** Settings of {@link createChecks}. */
export interface ChecksSetup {
  /** Maximum time of a check, in milliseconds. */
  readonly checkTimeoutMs: number;
  /** How long a result is used, in milliseconds. */
  readonly ttlMs: number;
  readonly clock?: Clock | undefined;
  /** Receives the error with which the failure of a check begins. */
  readonly onError: (error: unknown) => void;
}

const maxUnsettled = 8;

/** Creates the runner of checks. */
export function createChecks(checks: Readonly<Record<string, HealthCheck>>, setup: ChecksSetup): Checks {
  const { checkTimeoutMs, ttlMs, clock = systemClock, onError } = setup;
  const failing = new Set<string>();
  /** How many calls of each check have not settled, perhaps since earlier periods. */
  const unsettled = new Map<string, number>();
  let latest: Promise<readonly string[]> | undefined;
  let usableUntil = -Infinity;

  /** A check that hangs in each period would keep more and more connections. */
  async function call(name: string, check: HealthCheck): Promise<unknown> {
    const before = unsettled.get(name) ?? 0;
    if (before >= maxUnsettled) {
      throw new Error(`${before} calls of the check ${name} have not settled.`);
    }
    unsettled.set(name, before + 1);
    try {
      return await check();
    } finally {
      unsettled.set(name, (unsettled.get(name) ?? 1) - 1);
    }
  }

  async function passes(name: string, check: HealthCheck): Promise<boolean> {
    const expired = (): never => {
      throw new Error(`The check ${name} did not end within ${checkTimeoutMs} ms (checkTimeoutMs).`);
    };
    try {
      const result = await inTime(call(name, check), checkTimeoutMs, { expired, clock });
      if (result === false) {
        throw new Error(`The check ${name} returned false.`);
      }
      failing.delete(name);
      return true;
    } catch (error) {
      if (!failing.has(name)) {
        failing.add(name);
        onError(new Error(`The check ${name} failed, so the server is not ready.`, { cause: error }));
      }
      return false;
    }
  }

  async function run(): Promise<readonly string[]> {
    const entries = Object.entries(checks);
    const passed = await Promise.all(entries.map(([name, check]) => passes(name, check)));
    usableUntil = clock.now() + ttlMs;
    return entries.flatMap(([name], index) => (passed[index] === true ? [] : [name]));
  }

  return {
    failed() {
      if (latest === undefined || clock.now() >= usableUntil) {
        usableUntil = Infinity;
        latest = run();
      }
      return latest;
    },
  };
}
