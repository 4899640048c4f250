import { expect, test, vi } from "vitest";

import { Parcels, partsOf } from "../src/server/moving/parcels.ts";

const long = Array.from({ length: 150_000 }, (_, index) => `${index}`.padStart(6, " ")).join("");
const parts = partsOf(long).map((part) => JSON.parse(part) as object);

test("a long message that arrives in parts, each of them twice, is used once and as it was", async () => {
  const parcels = new Parcels(Infinity);
  const use = vi.fn<(text: string) => Promise<boolean>>(() => Promise.resolve(true));
  expect(parts).toHaveLength(3);
  for (const part of parts) {
    const taken = await Promise.all([parcels.take(part, use), parcels.take(part, use)]);
    expect(taken).toEqual([true, true]);
  }
  expect(use).toHaveBeenCalledTimes(1);
  expect(use.mock.lastCall?.[0] === long).toBe(true);
});

test("a last part that arrives twice has the outcome of the message both times", async () => {
  const parcels = new Parcels(Infinity);
  const use = (): Promise<boolean> => Promise.resolve(false);
  for (const part of parts.slice(0, -1)) {
    expect(await parcels.take(part, use)).toBe(true);
  }
  expect(await parcels.take(parts.at(-1), use)).toBe(false);
  expect(await parcels.take(parts.at(-1), use)).toBe(false);
});

test("a message with a missing part, and one above the limit, is not used", async () => {
  const use = vi.fn<(text: string) => Promise<boolean>>(() => Promise.resolve(true));
  const [first, , last] = parts;
  const parcels = new Parcels(Infinity);
  expect(await parcels.take(first, use)).toBe(true);
  expect(await parcels.take(last, use)).toBe(false);
  expect(await new Parcels(10).take(first, use)).toBe(false);
  expect(await parcels.take({ kind: "part" }, use)).toBe(false);
  expect(use).not.toHaveBeenCalled();
});
