import { expect, test } from "vitest";

import { decode, encode, prepareResult } from "../src/index.ts";

test.each([1, "a", 'quo"te'])(
  "a prepared result is written as it was, with the id %j of each request",
  (id) => {
    const result = prepareResult({ tools: [{ name: "é\n" }], nextCursor: "1" });
    const message = { jsonrpc: "2.0", id, result } as const;
    expect(encode(message)).toBe(JSON.stringify(message));
    expect(decode(encode(message))).toEqual(message);
    expect(Object.isFrozen(result)).toBe(true);
  },
);

test("a copy of a prepared result is written anew", () => {
  const result = prepareResult({ a: 1 });
  expect(encode({ jsonrpc: "2.0", id: 1, result: { ...result, b: 2 } })).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2}}',
  );
});

test("prepared results in a batch, and in their own JSON, are ordinary objects", () => {
  const result = prepareResult({ a: 1 });
  const message = { jsonrpc: "2.0", id: 1, result } as const;
  expect(encode([message, message])).toBe(JSON.stringify([message, message]));
});
