import { inTime, systemClock, type Clock } from "@tenon/base";

/** Finds out whether something that the server needs can be reached. */
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

/** Creates the runner of checks. */
export function createChecks(checks: Readonly<Record<string, HealthCheck>>, setup: ChecksSetup): Checks {
  const { checkTimeoutMs, ttlMs, clock = systemClock, onError } = setup;
  const failing = new Set<string>();
  let latest: Promise<readonly string[]> | undefined;
  let usableUntil = -Infinity;

  async function passes(name: string, check: HealthCheck): Promise<boolean> {
    const expired = (): never => {
      throw new Error(`The check ${name} did not end within ${checkTimeoutMs} ms (checkTimeoutMs).`);
    };
    try {
      const result = await inTime(Promise.resolve().then(check), checkTimeoutMs, { expired, clock });
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
