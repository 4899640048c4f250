import { expect, test } from "vitest";

import { quick, slow } from "../src/shared/quick-parse.ts";

/** Values of every kind, for the fields that the schemas have and for one that they do not have. */
const kinds: readonly unknown[] = [
  undefined,
  null,
  true,
  1,
  1.5,
  "",
  "2.0",
  "tools/call",
  [],
  {},
  { a: 1 },
  { _meta: {} },
  { z: 1, _meta: { other: 1, progressToken: 2 } },
  { _meta: { progressToken: 1.5 } },
  { _meta: { "io.modelcontextprotocol/related-task": { taskId: "t" } } },
  { name: "t" },
  { arguments: { x: [1] }, name: "t", _meta: { progressToken: "p" } },
  { name: "t", arguments: [] },
  { name: "t", task: {} },
  { name: "t", other: 1 },
  { name: 1 },
  [{ type: "text", text: "t" }],
  [{ text: "t", type: "text" }],
  [{ type: "text", text: "t", annotations: {} }],
  [{ type: "text", text: 1 }],
  [{ type: "image", data: "", mimeType: "a/b" }],
  JSON.parse('{ "__proto__": { "a": 1 } }'),
];
const usual: readonly object[] = [
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } },
  { jsonrpc: "2.0", method: "tools/call", params: {} },
  { jsonrpc: "2.0", id: "a", result: { content: [] } },
  { content: [{ type: "text", text: "t" }], structuredContent: {}, isError: true },
];
const names = [
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "content",
  "structuredContent",
  "isError",
  "_meta",
  "more",
];

function* samples(): Generator {
  yield* kinds;
  for (const message of usual) {
    yield message;
    for (const name of names) {
      yield Object.fromEntries(Object.entries(message).filter(([key]) => key !== name));
      for (const value of kinds) {
        yield { ...message, [name]: value };
        yield { [name]: value, ...message };
      }
    }
  }
}

test("a message that is parsed quickly becomes what zod makes of it", () => {
  expect(slow.size).toBe(quick.length);
  for (const [schema, parse] of quick) {
    let parsed = 0;
    for (const sample of samples()) {
      const result = parse(sample);
      if (result === undefined) {
        continue;
      }
      parsed++;
      const byZod = slow.get(schema)?.({ value: sample, issues: [] } as never, {});
      expect(byZod).toStrictEqual({ value: result, issues: [] });
      expect(JSON.stringify(result)).toBe(JSON.stringify((byZod as { value: unknown }).value));
    }
    expect(parsed).toBeGreaterThan(4);
  }
});
