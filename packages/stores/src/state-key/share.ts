import { checkOptionNames, errorSink, readLimits, type LimitRules } from "@tenon/base";

import type { AuthStore } from "../auth/contract.ts";
import { steadyDate, type StoreClock } from "../clock.ts";
import { decodeKeys, encodeKeys, isDropped, newKey, usable, type StoredKey } from "./stored.ts";

/** A key of `requestState`. */
export interface SharedStateKey {
  readonly id: string;
  readonly secret: string;
}

/** Limits of {@link shareStateKeys}. */
export interface SharedStateKeysLimits {
  /** Time after which a new key is made, in milliseconds. Default: `86_400_000` (1 day). */
  readonly rotationIntervalMs?: number | undefined;
  /**
   * How long a key that was replaced still opens states, in milliseconds. It must exceed the limit
   * `stateTtlMs` of the server. Default: `86_400_000` (1 day).
   */
  readonly ttlMs?: number | undefined;
  /** Time between two reads of the store, in milliseconds. Default: `60_000` (1 minute). */
  readonly refreshIntervalMs?: number | undefined;
}

/** Options of {@link shareStateKeys}. */
export interface SharedStateKeysOptions {
  /**
   * The key of the store: 1 to 100 characters of printable ASCII. Servers that must not read each
   * other's states need different keys. Default: `"state-keys"`.
   */
  readonly name?: string | undefined;
  /** Limits of the keys. Each limit has its own default. */
  readonly limits?: SharedStateKeysLimits | undefined;
  /** Receives failures of the store after the first read. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Determines the date. The dates of the processes may differ by 5 minutes. Default: the clock of
   * the platform.
   */
  readonly clock?: StoreClock | undefined;
}

const limitRules: LimitRules<SharedStateKeysLimits> = {
  rotationIntervalMs: [86_400_000, 1],
  ttlMs: [86_400_000, 0],
  refreshIntervalMs: [60_000, 0],
};

/** Maximum number of keys that are kept. */
const maxKeys = 100;
/** Maximum difference between the dates of two processes, in milliseconds (5 minutes). */
const skewMs = 300_000;
/** Time between two reads while the store fails, in milliseconds. */
const retryMs = 1000;
/** How often a write is tried while other processes write. */
const maxWrites = 10;

/**
 * Creates a source of keys that all processes with the same store share: the first process makes
 * the first key, and keys are replaced at an interval. Pass it to a server as
 * `interaction.stateKeys`.
 *
 * A new key encrypts only after all processes have read it. If the store fails, the keys of the
 * last read are used. Before the first read, requests with input requests fail. To replace a key
 * that leaked, delete the value of `name` in the store: suspended calls are lost.
 *
 * @param store - Keeps the keys. It is not closed.
 * @returns A function that returns the keys: the first encrypts, all of them decrypt. It rejects as
 *   the store does.
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function shareStateKeys(
  store: AuthStore,
  options: SharedStateKeysOptions = {},
): () => Promise<readonly SharedStateKey[]> {
  checkOptionNames("shareStateKeys", options, "name limits onError clock", limitRules);
  const { rotationIntervalMs, ttlMs, refreshIntervalMs } = readLimits(options.limits, limitRules);
  const { name = "state-keys" } = options;
  const onError = errorSink(options.onError);
  const date = steadyDate(options.clock);
  const activationMs = skewMs + 2 * refreshIntervalMs;
  let known: readonly StoredKey[] | undefined;
  let nextReadAt = 0;
  let reading: Promise<readonly StoredKey[]> | undefined;

  /** Reads the keys, and adds a key if there is none or the newest is too old. */
  async function load(): Promise<readonly StoredKey[]> {
    for (let attempt = 1; ; attempt++) {
      const stored = await store.get(name);
      const keys = decodeKeys(stored?.value);
      const now = date();
      const isNew = keys[0] !== undefined && now < keys[0].createdAt + rotationIntervalMs;
      if (isNew || attempt > maxWrites) {
        return keys;
      }
      const kept = keys.filter((_, index) => !isDropped(keys, index, now - activationMs - ttlMs));
      const next = [newKey(now), ...kept].slice(0, maxKeys);
      const ifGeneration = stored?.generation ?? "absent";
      if ((await store.put(name, encodeKeys(next), { ifGeneration })) !== "conflict") {
        return next;
      }
    }
  }

  async function refresh(): Promise<readonly StoredKey[]> {
    try {
      known = await load();
      nextReadAt = date() + refreshIntervalMs;
      return known;
    } catch (error) {
      if (known === undefined) {
        throw error;
      }
      nextReadAt = date() + Math.min(retryMs, refreshIntervalMs);
      onError(error);
      return known;
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    const isFresh = known !== undefined && date() < nextReadAt;
    const keys = isFresh && known !== undefined ? known : await (reading ??= refresh());
    return usable(keys, date() - activationMs);
  };
}
