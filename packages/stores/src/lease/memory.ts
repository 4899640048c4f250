import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";

import { steadyDate, type StoreClock } from "../clock.ts";
import { StoreError } from "../error.ts";
import { createSteps } from "../steps.ts";
import type { Lease, Leases } from "./contract.ts";
import { checkLeaseNames, nextFence } from "./fence.ts";

/** Limits of {@link createMemoryLeases}. */
export interface MemoryLeasesLimits {
  /** Maximum number of leases that last. Above it `acquire` rejects. Default: `100_000`. */
  readonly maxLeases?: number | undefined;
}

/** Options of {@link createMemoryLeases}. */
export interface MemoryLeasesOptions {
  /** Limits of the leases. Each limit has its own default. */
  readonly limits?: MemoryLeasesLimits | undefined;
  /** Determines the date. Default: the clock of the platform. */
  readonly clock?: StoreClock | undefined;
}

const limitRules: LimitRules<MemoryLeasesLimits> = { maxLeases: [100_000, 1] };

/**
 * Creates leases within one process.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createMemoryLeases(options: MemoryLeasesOptions = {}): Leases {
  checkOptionNames("createMemoryLeases", options, "limits clock", limitRules);
  const { maxLeases } = readLimits(options.limits, limitRules);
  const date = steadyDate(options.clock);
  const leases = new Map<string, Lease>();
  const { step, close } = createSteps("Leases object", () => leases.clear());
  let lastFence = 0;

  function find(key: string): Lease | undefined {
    const lease = leases.get(key);
    return lease === undefined || lease.expiresAt <= date() ? undefined : lease;
  }

  function makeRoom(): void {
    if (leases.size >= maxLeases) {
      const now = date();
      for (const [key, { expiresAt }] of leases) {
        if (expiresAt <= now) {
          leases.delete(key);
        }
      }
    }
    if (leases.size >= maxLeases) {
      throw new StoreError("STORE_FULL", `Too many leases: the limit is ${maxLeases} (maxLeases).`);
    }
  }

  return {
    acquire: (key, holder, leaseMs, { takeOver = false } = {}) =>
      step(() => {
        checkLeaseNames(key, holder);
        const before = find(key);
        if (before !== undefined && before.holder !== holder && !takeOver) {
          return undefined;
        }
        if (!leases.has(key)) {
          makeRoom();
        }
        // One sequence for all keys, so that ended leases need not be remembered.
        lastFence = nextFence(lastFence, date());
        const lease = { fence: lastFence, holder, expiresAt: date() + leaseMs };
        leases.set(key, lease);
        return lease;
      }),
    renew: (key, fence, leaseMs) =>
      step(() => {
        const before = find(key);
        if (before?.fence !== fence) {
          return false;
        }
        leases.set(key, { ...before, expiresAt: date() + leaseMs });
        return true;
      }),
    release: (key, fence) => step(() => find(key)?.fence === fence && leases.delete(key)),
    current: (key) => step(() => find(key)),
    close,
    [Symbol.asyncDispose]: close,
  };
}
