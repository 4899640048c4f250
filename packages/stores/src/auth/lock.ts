import { sleep, systemClock, type Clock } from "@tenon/base";

import type { Lease, Leases } from "../lease/contract.ts";
import { checkAuthEntry } from "./check.ts";
import type { AuthStore } from "./contract.ts";

/** How long a lock lasts without being renewed, in milliseconds. */
const leaseMs = 15_000;
const renewMs = 5000;
/** Delays between two attempts, in milliseconds. Each is extended by up to its length. */
const [firstDelayMs, maxDelayMs] = [10, 250];

/**
 * Creates the method `lock` of an `AuthStore` on leases. For authors of stores. A lease is renewed
 * every 5 seconds. If that fails, the holder is not stopped: its writes must be conditional.
 *
 * @param leases - Belong to the same store. They are not closed.
 * @param clock - Measures the delays. Default: the clock of the platform.
 */
export function createAuthLock(leases: Leases, clock: Clock = systemClock): NonNullable<AuthStore["lock"]> {
  return async (key, signal) => {
    checkAuthEntry(key);
    signal.throwIfAborted();
    const name = `auth:${await sha256(key)}`;
    const holder = crypto.randomUUID();
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const lease = await leases.acquire(name, holder, leaseMs);
      if (lease !== undefined && signal.aborted) {
        await leases.release(name, lease.fence);
      }
      signal.throwIfAborted();
      if (lease !== undefined) {
        return hold(leases, name, lease, clock);
      }
      await sleep(delayMs * (1 + Math.random()), { clock, signal, keepsAlive: true });
    }
  };
}

function hold(leases: Leases, name: string, { fence }: Lease, clock: Clock): AsyncDisposable {
  let isReleased = false;
  const later = (): unknown => clock.setTimeout(() => void renew(), renewMs, false);
  async function renew(): Promise<void> {
    // After a failure the lease still lasts for two more attempts.
    const isHeld = await leases.renew(name, fence, leaseMs).catch(() => true);
    if (isHeld && !isReleased) {
      timer = later();
    }
  }
  let timer = later();
  return {
    async [Symbol.asyncDispose]() {
      if (!isReleased) {
        isReleased = true;
        clock.clearTimeout(timer);
        // A store that cannot be reached lets the lease end by itself.
        await leases.release(name, fence).catch(() => false);
      }
    },
  };
}

/** Keys of leases may have no spaces. */
async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
