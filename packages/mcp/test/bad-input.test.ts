import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { initialize, modern, openWire, request } from "./wire.ts";

const call = (id: number, args: unknown, name: unknown = "add"): object =>
  request(id, "tools/call", { name, arguments: args, _meta: modern });

test("arguments that fail the schema are a result with isError from 2025-11-25 on (R-476)", async () => {
  await using wire = await openWire();
  await wire.ask(initialize("2025-11-25"));
  for (const meta of [undefined, modern]) {
    const params = {
      name: "add",
      arguments: { a: 1, b: "two" },
      ...(meta === undefined ? {} : { _meta: meta }),
    };
    expect(await wire.ask(request(1, "tools/call", params))).toMatchObject({
      result: {
        isError: true,
        content: [{ type: "text", text: expect.stringContaining("b: expected number") as string }],
      },
    });
  }
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
  "arguments that fail the schema are a -32602 error in %s (R-477)",
  async (revision) => {
    await using wire = await openWire();
    await wire.ask(initialize(revision));
    expect(await wire.ask(request(1, "tools/call", { name: "add", arguments: {} }))).toMatchObject({
      error: { code: -32602 },
    });
  },
);

test.each(["nothing", "constructor", "__proto__", "toString"])(
  "calling the unknown tool %s is a -32602 error (R-476, T-009)",
  async (name) => {
    await using wire = await openWire();
    expect(await wire.ask(call(1, {}, name))).toMatchObject({
      error: { code: -32602, message: `Unknown tool: ${name}` },
    });
  },
);

test("a call without a name, and arguments that are no object, are -32602 errors (R-476)", async () => {
  await using wire = await openWire();
  expect(await wire.ask(call(1, {}, 7))).toMatchObject({ error: { code: -32602 } });
  expect(await wire.ask(call(2, [1, 2]))).toMatchObject({ error: { code: -32602 } });
});

test("a handler that throws leaks neither message nor stack, and its error reaches onError", async () => {
  const errors: unknown[] = [];
  await using wire = await openWire({ onError: (error) => errors.push(error) });
  const answer = await wire.ask(call(1, {}, "fail"));
  expect(answer).toMatchObject({ result: { isError: true, content: [{ text: "The tool failed." }] } });
  expect(JSON.stringify(answer)).not.toMatch(/secret|srv|\.js/);
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining("secret") as string })]);
});

test("a bad cursor is a -32602 error (R-568)", async () => {
  await using wire = await openWire();
  for (const cursor of ["", "nonsense", 7, "1!", "x".repeat(5000)]) {
    expect(await wire.ask(request(1, "tools/list", { cursor, _meta: modern }))).toMatchObject({
      error: { code: -32602 },
    });
  }
});

test.each([
  ["no version", { capabilities: {}, clientInfo: { name: "x", version: "1" } }],
  [
    "capabilities that are a list",
    { protocolVersion: legacyRevision, capabilities: [], clientInfo: { name: "x", version: "1" } },
  ],
  ["a client without a name", { protocolVersion: legacyRevision, capabilities: {}, clientInfo: {} }],
  ["nothing at all", undefined],
])("initialize with %s is a -32602 error, and a good one succeeds afterwards", async (_, params) => {
  await using wire = await openWire();
  expect(await wire.ask(request(1, "initialize", params))).toMatchObject({ error: { code: -32602 } });
  expect(await wire.ask(initialize(legacyRevision))).toMatchObject({
    result: { protocolVersion: legacyRevision },
  });
});
