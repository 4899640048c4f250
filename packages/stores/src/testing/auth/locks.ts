import type { AuthStore } from "../../auth/contract.ts";
import { equal, skewed, skewMs, times, type Check } from "../check.ts";

const { signal } = new AbortController();

/** Fails if `store` can acquire the lock. */
async function expectHeld(store: AuthStore, other: AuthStore): Promise<void> {
  const leaving = new AbortController();
  const third = store.lock?.("key", leaving.signal).then(
    () => "acquired",
    () => "waited",
  );
  await other.put("shared", "1");
  leaving.abort();
  equal((await third) ?? "waited", "waited");
}

/** Locks, of stores that have them. */
export const locks: readonly Check<AuthStore>[] = [
  {
    name: "a lock has one holder at a time, and each gets its turn",
    async run({ store, other }) {
      let [holders, most, turns] = [0, 0, 0];
      await times(8, async (index) => {
        const one = index % 2 === 0 ? store : other;
        const lock = await one.lock?.("key", signal);
        holders++;
        turns++;
        most = Math.max(most, holders);
        await one.put("shared", String(turns));
        holders--;
        await lock?.[Symbol.asyncDispose]();
      });
      equal([store.lock === undefined ? 1 : most, turns], [1, 8]);
    },
  },
  {
    name: "locks of different keys do not wait for each other",
    async run({ store, other }) {
      const held = [];
      for (const key of ["a", "A", "a ", "*", "~".repeat(100)]) {
        held.push(await (held.length % 2 === 0 ? store : other).lock?.(key, signal));
      }
      for (const lock of held) {
        await lock?.[Symbol.asyncDispose]();
      }
    },
  },
  {
    name: "a signal ends the wait for a lock, and the next in line gets it",
    async run({ store, other }) {
      const held = await store.lock?.("key", signal);
      const leaving = new AbortController();
      const waiting = other.lock?.("key", leaving.signal).then(
        () => "acquired",
        (error: unknown) => error,
      );
      const next = store.lock?.("key", signal);
      const reason = new Error("enough");
      leaving.abort(reason);
      equal(((await waiting) ?? reason) === reason, true);
      await held?.[Symbol.asyncDispose]();
      await (await next)?.[Symbol.asyncDispose]();
    },
  },
  {
    name: "a signal that was aborted before acquires nothing",
    async run({ store, other }) {
      const reason = new Error("enough");
      const refused = store.lock?.("key", AbortSignal.abort(reason)).then(
        () => "acquired",
        (error: unknown) => error,
      );
      equal(((await refused) ?? reason) === reason, true);
      await (await other.lock?.("key", signal))?.[Symbol.asyncDispose]();
    },
  },
  {
    name: "a lock can be released twice, and then belongs to the next holder",
    async run({ store, other }) {
      const first = await store.lock?.("key", signal);
      await first?.[Symbol.asyncDispose]();
      const second = await other.lock?.("key", signal);
      await first?.[Symbol.asyncDispose]();
      await expectHeld(store, other);
      await second?.[Symbol.asyncDispose]();
    },
  },
  {
    name: "a holder that does not renew its lock for 15 seconds loses it, and cannot release the lock of the next holder",
    only: "shared",
    async run({ store, other, advance }) {
      const lost = await store.lock?.("key", signal);
      await advance(15_001);
      const next = await other.lock?.("key", signal);
      await lost?.[Symbol.asyncDispose]();
      await expectHeld(store, other);
      await next?.[Symbol.asyncDispose]();
    },
  },
  {
    name: "a process whose date is wrong by five minutes takes no lock that is held",
    only: "shared",
    async run({ store, other }) {
      for (const wrong of [skewMs, -skewMs]) {
        const held = await store.lock?.("key", signal);
        const leaving = new AbortController();
        const waited = await skewed(wrong, async () => {
          const waiting = other.lock?.("key", leaving.signal).then(
            () => "acquired",
            () => "waited",
          );
          await other.put("shared", "1");
          leaving.abort();
          return waiting;
        });
        equal(waited ?? "waited", "waited");
        await held?.[Symbol.asyncDispose]();
      }
    },
  },
];
