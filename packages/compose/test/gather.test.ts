import type { ServerRequest } from "@tenon/mcp/server";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { gather } from "../src/surface/gather.ts";
import { createKnownParts, type Part } from "../src/surface/part.ts";

type Lists = ReturnType<typeof gather<"tools">>;

/** A part whose lists come when they are told to. */
function lateTools(): {
  readonly part: Part;
  readonly late: readonly string[];
  readonly list: (keepsKnown: boolean, listTimeoutMs?: number) => Lists;
  readonly come: (names: readonly string[]) => Promise<void>;
} {
  const waiting: ((items: readonly object[]) => void)[] = [];
  const late: string[] = [];
  const part = {
    name: "far",
    known: createKnownParts(),
    source: {
      audienceOf: () => undefined,
      list: () =>
        new Promise((resolve) => {
          waiting.push(resolve);
        }),
    },
  } as unknown as Part;
  const request = { signal: new AbortController().signal } as ServerRequest;
  return {
    part,
    late,
    list: (keepsKnown, listTimeoutMs = 1) =>
      gather("tools", [part], request, {
        callerOf: () => ({}) as never,
        listTimeoutMs,
        keepsKnown,
        onFailure: () => {},
        onLate: ({ name }) => late.push(name),
      }),
    async come(names) {
      waiting.shift()?.(names.map((name) => ({ name, inputSchema: { type: "object" } })));
      // The list is used in a microtask.
      const turn = deferred();
      setImmediate(() => turn.resolve());
      await turn.promise;
    },
  };
}

const namesOf = async (lists: Lists): Promise<readonly string[]> =>
  ((await lists)[0] ?? []).map(({ name }) => name);

test("two lists that are both late announce what both callers did not see", async () => {
  const { list, come, late } = lateTools();
  const both = [namesOf(list(true)), namesOf(list(true))];
  expect(await Promise.all(both)).toEqual([[], []]);
  await come(["a"]);
  await come(["a"]);
  expect(late).toEqual(["far", "far"]);
});

test("a late list that a caller has got as known already is not announced", async () => {
  const { list, come, late } = lateTools();
  expect(await namesOf(list(true))).toEqual([]);
  await come(["a"]);
  expect(await namesOf(list(true))).toEqual(["a"]);
  await come(["a"]);
  expect(late).toEqual(["far"]);
  expect(await namesOf(list(true))).toEqual(["a"]);
  await come(["b"]);
  expect(late).toEqual(["far", "far"]);
});

test("a list that is late once is not waited for again until it has come, and is announced to all who lacked it", async () => {
  const { list, come, late } = lateTools();
  const never = 2 ** 31 - 1;
  expect(await namesOf(list(true))).toEqual([]);
  expect(await namesOf(list(true, never))).toEqual([]);
  await come(["a"]);
  await come(["a"]);
  expect(late).toEqual(["far", "far"]);
  // It has come, so the next one is waited for.
  const next = namesOf(list(true, never));
  await come(["a", "b"]);
  expect(await next).toEqual(["a", "b"]);
});
