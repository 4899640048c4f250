import type { AuthStore } from "../../auth/contract.ts";
import { equal, skewed, skewMs, times, type Check } from "../check.ts";

/** Writes and deletions with conditions. */
export const writes: readonly Check<AuthStore>[] = [
  {
    name: "each write has its own generation",
    async run({ store, other }) {
      const generations = [
        await store.put("key", "1"),
        await other.put("key", "1"),
        await store.put("key", "2"),
      ];
      equal(new Set(generations).size, 3);
      equal((await other.get("key"))?.value, "2");
    },
  },
  {
    name: "a write for a generation succeeds only while the value has this generation",
    async run({ store, other }) {
      const first = written(await store.put("key", "1"));
      const second = written(await other.put("key", "2", { ifGeneration: first }));
      equal(await store.put("key", "3", { ifGeneration: first }), "conflict");
      equal(await store.get("key"), { value: "2", generation: second });
    },
  },
  {
    name: "a write for an absent value succeeds once",
    async run({ store, other }) {
      written(await store.put("key", "1", { ifGeneration: "absent" }));
      equal(await other.put("key", "2", { ifGeneration: "absent" }), "conflict");
      equal(await other.put("other", "2", { ifGeneration: 1 }), "conflict");
      equal((await store.get("key"))?.value, "1");
    },
  },
  {
    name: "of simultaneous writes for one generation exactly one succeeds",
    async run({ store, other }) {
      for (const ifGeneration of ["absent", written(await store.put("second", "first"))] as const) {
        const key = ifGeneration === "absent" ? "first" : "second";
        const results = await times(32, (index) =>
          (index % 2 === 0 ? store : other).put(key, String(index), { ifGeneration }),
        );
        const winners = results.flatMap((result, index) => (result === "conflict" ? [] : [index]));
        equal(winners.length, 1);
        equal((await other.get(key))?.value, String(winners[0]));
      }
    },
  },
  {
    name: "writers that repeat after a conflict all succeed, one after the other",
    async run({ store, other }) {
      await store.put("key", "0");
      await times(16, async (index) => {
        const one = index % 2 === 0 ? store : other;
        for (;;) {
          const read = await one.get("key");
          const next = String(Number(read?.value) + 1);
          if ((await one.put("key", next, { ifGeneration: read?.generation })) !== "conflict") {
            return;
          }
        }
      });
      equal((await other.get("key"))?.value, "16");
    },
  },
  {
    name: "a value is deleted for its generation only",
    async run({ store, other }) {
      const first = written(await store.put("key", "1"));
      const second = written(await other.put("key", "2"));
      equal(await store.delete("key", { ifGeneration: first }), false);
      equal(await store.delete("key", { ifGeneration: second }), true);
      equal(await other.get("key"), undefined);
      equal(await other.delete("key"), false);
    },
  },
  {
    name: "of simultaneous deletions exactly one had the value",
    async run({ store, other }) {
      await store.put("key", "1");
      const deleted = await times(16, (index) => (index % 2 === 0 ? store : other).delete("key"));
      equal(deleted.filter(Boolean).length, 1);
    },
  },
  {
    name: "a write for the generation of a deleted value conflicts: late writers bring nothing back",
    async run({ store, other }) {
      const first = written(await store.put("key", "1"));
      equal(await other.delete("key"), true);
      equal(await store.put("key", "2", { ifGeneration: first }), "conflict");
      equal(await store.get("key"), undefined);
      written(await store.put("key", "3", { ifGeneration: "absent" }));
      equal(await store.put("key", "4", { ifGeneration: first }), "conflict");
    },
  },
  {
    name: "a generation is never used again, however quickly values are deleted and written",
    async run({ store, other }) {
      const generations = new Set<number>();
      for (let round = 0; round < 50; round++) {
        const one = round % 2 === 0 ? store : other;
        generations.add(written(await one.put("key", "1", { ifGeneration: "absent" })));
        equal(await one.delete("key"), true);
      }
      equal(generations.size, 50);
    },
  },
  {
    name: "a process whose date is wrong by five minutes writes as others do",
    only: "shared",
    async run({ store, other }) {
      for (const wrong of [skewMs, -skewMs]) {
        const first = written(await store.put("key", "1"));
        await skewed(wrong, async () => {
          equal((await other.get("key"))?.generation, first);
          const second = written(await other.put("key", "2", { ifGeneration: first }));
          equal(await store.put("key", "3", { ifGeneration: first }), "conflict");
          equal((await store.get("key"))?.generation, second);
        });
      }
    },
  },
];

function written(generation: number | "conflict"): number {
  if (generation === "conflict") {
    throw new Error("The store must accept the write; got a conflict.");
  }
  return generation;
}
