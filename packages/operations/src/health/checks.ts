import { inTime, systemClock, type Clock } from "@tenon/base";

/**
 * Finds out whether something that the server needs can be reached. If 8 of its calls have not
 * settled, it is called only once a minute, and counts as failed in between. Give the requests a
 * time limit, such as `query_timeout` of `pg`: after a lost connection they otherwise never settle.
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
/** The time between further calls of a check that has {@link maxUnsettled}, in milliseconds. */
const pauseMs = 60_000;

/** Creates the runner of checks. */
export function createChecks(checks: Readonly<Record<string, HealthCheck>>, setup: ChecksSetup): Checks {
  const { checkTimeoutMs, ttlMs, clock = systemClock, onError } = setup;
  const failing = new Set<string>();
  /** The calls of each check that have not settled, perhaps since earlier periods. */
  const unsettled = new Map<string, Set<symbol>>();
  /** When each check was called last. */
  const calledAt = new Map<string, number>();
  let latest: Promise<readonly string[]> | undefined;
  let usableUntil = -Infinity;

  /**
   * A check that hangs in each period would keep more and more connections. A call that a network
   * has lost may never settle, so later calls show whether the network is back.
   */
  async function call(name: string, check: HealthCheck): Promise<unknown> {
    const calls = unsettled.get(name) ?? new Set();
    if (calls.size >= maxUnsettled && clock.now() - (calledAt.get(name) ?? 0) < pauseMs) {
      throw new Error(
        `${calls.size} calls of the check ${name} have not settled: it is called once in ${pauseMs} ms.`,
      );
    }
    calledAt.set(name, clock.now());
    const own = Symbol(name);
    unsettled.set(name, calls.add(own));
    const [oldest] = calls;
    if (calls.size > maxUnsettled && oldest !== undefined) {
      // It is lost. Without it, the number stays bounded.
      calls.delete(oldest);
    }
    try {
      return await check();
    } finally {
      calls.delete(own);
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
      // Older calls may never settle: they are lost.
      unsettled.delete(name);
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
