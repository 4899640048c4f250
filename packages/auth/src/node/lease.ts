import { randomUUID } from "node:crypto";

import { isRecord, sleep, type Clock } from "@tenon/base";

import type { AuthStore } from "../client/tokens/store.ts";
import type { Generations } from "./generations.ts";

/** How long a lease lasts without being renewed, in milliseconds. */
const leaseMs = 15_000;
const renewMs = 5000;
/** How often a waiting process looks, in milliseconds: between this and twice as much. */
const pollMs = 20;

/**
 * Leases locks to processes. A lease that its holder does not renew, because it was killed or
 * suspended, can be taken over after 15 seconds. The holder may continue later, so what it writes
 * must be conditional on a generation.
 *
 * @param local - Puts the callers of this process in line.
 */
export function createLeases(
  files: () => Promise<Generations>,
  local: NonNullable<AuthStore["lock"]>,
  clock: Clock,
): NonNullable<AuthStore["lock"]> {
  return async (key, signal) => {
    const turn = await local(key, signal);
    try {
      const lease = await acquire(await files(), `lease ${key}`, clock, signal);
      return {
        async [Symbol.asyncDispose]() {
          try {
            await lease.end();
          } finally {
            await turn[Symbol.asyncDispose]();
          }
        },
      };
    } catch (error) {
      await turn[Symbol.asyncDispose]();
      throw error;
    }
  };
}

async function acquire(
  files: Generations,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ end(): Promise<void> }> {
  const owner = randomUUID();
  const write = (generation: number): Promise<boolean> =>
    files.create(name, generation, JSON.stringify({ owner, until: Date.now() + leaseMs }), false);
  for (;;) {
    signal.throwIfAborted();
    const { generation, text } = await files.read(name);
    if (isFree(text) && (await write(generation + 1))) {
      return hold(files, name, generation + 1, clock, write);
    }
    await sleep(pollMs * (1 + Math.random()), { clock, signal, keepsAlive: true });
  }
}

/** Renews a lease until it ends, or another process has taken it. */
function hold(
  files: Generations,
  name: string,
  first: number,
  clock: Clock,
  write: (generation: number) => Promise<boolean>,
): { end(): Promise<void> } {
  let generation = first;
  let renewal: Promise<void> | undefined;
  let isLost = false;
  let timer: unknown;
  const renew = async (): Promise<void> => {
    try {
      isLost = !(await write(generation + 1));
      generation++;
    } catch {
      // The lease lasts for two more attempts.
    }
    wait();
  };
  const wait = (): void => {
    if (!isLost) {
      const next = (): void => {
        renewal = renew();
      };
      timer = clock.setTimeout(next, renewMs, false);
    }
  };
  wait();
  return {
    async end() {
      clock.clearTimeout(timer);
      // It may find that another process has taken the lease.
      await renewal;
      clock.clearTimeout(timer);
      if (!isLost) {
        // If another process holds the lease by now, this generation exists.
        await files.create(name, generation + 1, "{}", false);
      }
    },
  };
}

function isFree(text: string | undefined): boolean {
  const until = untilOf(text ?? "{}");
  const now = Date.now();
  // A time that no lease reaches was written before the clock was set back.
  return until <= now || until > now + 2 * leaseMs;
}

function untilOf(text: string): number {
  try {
    const lease: unknown = JSON.parse(text);
    return isRecord(lease) && typeof lease["until"] === "number" ? lease["until"] : 0;
  } catch {
    return 0;
  }
}
