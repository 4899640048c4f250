import type { AuthStore } from "../../auth/contract.ts";
import { equal, eventually, rejects, type Check } from "../check.ts";

const { signal } = new AbortController();

/** Restarts and failures. */
export const authTrouble: readonly Check<AuthStore>[] = [
  {
    name: "values and generations survive the process",
    only: "durable",
    async run({ store, reopen }) {
      const generation = await store.put("key", '{"é":1}');
      const deleted = await store.put("deleted", "1");
      await store.delete("deleted");
      const next = await reopen();
      equal(await next.get("key"), { value: '{"é":1}', generation });
      equal(await next.put("deleted", "2", { ifGeneration: Number(deleted) }), "conflict");
      equal(await next.put("key", "2", { ifGeneration: "absent" }), "conflict");
    },
  },
  {
    name: "while the store is unreachable every call fails, and afterwards nothing is lost",
    only: "stops",
    async run({ store, stop, restore }) {
      const generation = await store.put("key", "1");
      await stop();
      await rejects(() => store.get("key"), "STORE_FAILED");
      await rejects(() => store.put("key", "2", { ifGeneration: 0 }), "STORE_FAILED");
      await rejects(() => store.delete("key", { ifGeneration: 0 }), "STORE_FAILED");
      await rejects(() => store.lock?.("key", signal) ?? rejected(), "STORE_FAILED");
      await restore();
      equal(await eventually(() => store.get("key")), { value: "1", generation });
    },
  },
  {
    name: "a lock that cannot be released because the store is unreachable is free afterwards",
    only: "stops",
    async run({ store, other, stop, restore, advance }) {
      const held = await store.lock?.("key", signal);
      await stop();
      await held?.[Symbol.asyncDispose]();
      await restore();
      await advance(15_001);
      const next = await eventually(async () => other.lock?.("key", signal));
      await next?.[Symbol.asyncDispose]();
    },
  },
];

/** The result of a store without locks. */
function rejected(): Promise<never> {
  return Promise.reject(
    Object.assign(new Error("Locks do not exist in this store."), { code: "STORE_FAILED" }),
  );
}
