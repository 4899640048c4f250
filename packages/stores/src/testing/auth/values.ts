import type { AuthStore } from "../../auth/contract.ts";
import { equal, everyText, times, type Check } from "../check.ts";

/** Values and their keys. */
export const values: readonly Check<AuthStore>[] = [
  {
    name: "a key without a value has none",
    async run({ store }) {
      equal(await store.get("key"), undefined);
      equal(await store.delete("key"), false);
    },
  },
  {
    name: "a value is returned as it was written, with the generation of its write",
    async run({ store, other }) {
      const value = JSON.stringify({ text: "é\u0000😀", list: [1] });
      const generation = await store.put("tokens/https://as.example", value);
      equal(await other.get("tokens/https://as.example"), { value, generation });
      equal(await store.get("tokens/https://as.exampl"), undefined);
    },
  },
  {
    name: "a value of 64 KiB, and of every kind, is returned unchanged",
    async run({ store, other }) {
      for (const value of ["x".repeat(65_536), everyText(20_000), ""]) {
        const generation = await store.put("key", value);
        const read = await other.get("key");
        equal([read?.value === value, read?.generation], [true, generation]);
      }
    },
  },
  {
    name: "keys are compared exactly, whatever printable characters they have",
    async run({ store, other }) {
      const keys = [
        "a",
        "A",
        "a ",
        " a",
        "a:b",
        "{a}",
        "*",
        "a%",
        "%61",
        "a\\b",
        "a'b",
        'a"b',
        "~".repeat(100),
      ];
      for (const key of keys) {
        await store.put(key, JSON.stringify(key));
      }
      for (const key of keys) {
        equal((await other.get(key))?.value, JSON.stringify(key));
      }
      equal(await store.delete("a"), true);
      equal((await other.get("A"))?.value, '"A"');
    },
  },
  {
    name: "five thousand values are kept apart",
    only: "shared",
    async run({ store, other }) {
      for (let batch = 0; batch < 50; batch++) {
        await times(100, async (index) => store.put(`key ${batch} ${index}`, `[${batch},${index}]`));
      }
      for (const [batch, index] of [
        [0, 0],
        [17, 42],
        [49, 99],
      ]) {
        equal((await other.get(`key ${batch} ${index}`))?.value, `[${batch},${index}]`);
      }
    },
  },
  {
    name: "a value that never expires is kept",
    async run({ store, other, advance }) {
      const generation = await store.put("ever", "1", { expiresAt: Infinity });
      await other.put("next", "1");
      await advance(60_000);
      equal(await other.get("ever"), { value: "1", generation });
      equal(await other.delete("ever"), true);
    },
  },
  {
    name: "a value is kept until it expires, and a later write can make it last longer",
    async run({ store, other, advance }) {
      const start = Date.now();
      await store.put("short", "1", { expiresAt: start + 86_400_000_000 });
      await store.put("always", "1", { expiresAt: start + 1 });
      await other.put("always", "2");
      await advance(60_000);
      equal((await other.get("short"))?.value, "1");
      equal((await store.get("always"))?.value, "2");
    },
  },
];
