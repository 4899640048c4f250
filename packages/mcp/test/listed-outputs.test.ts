import type { ClientOptions } from "@tenon/mcp";
import type { CallToolResult, JSONObject, Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { openServerWire, type ServerWire } from "./server-wire.ts";

const revisions: readonly Revision[] = ["2025-06-18", "2025-11-25", "2026-07-28"];

const area = {
  type: "object",
  properties: { area: { type: "number" }, unit: { type: "string", pattern: "^(m|km)+²$" } },
  required: ["area"],
};

/** Lists the tool `area` with an output schema. */
async function list(wire: ServerWire, outputSchema: unknown = area): Promise<void> {
  const tool = {
    name: "area",
    inputSchema: { type: "object" },
    ...(outputSchema === null ? {} : { outputSchema }),
  };
  const listing = wire.session.listTools({}, { fresh: true });
  await wire.answer({ resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [tool] });
  await listing;
}

/** Calls the tool `area`, which answers with the result. */
async function call(wire: ServerWire, result: JSONObject): Promise<CallToolResult> {
  const [outcome] = await Promise.allSettled([
    wire.session.callTool({ name: "area" }),
    wire.answer({ resultType: "complete", ...result }),
  ]);
  if (outcome.status === "rejected") {
    throw outcome.reason;
  }
  return outcome.value;
}

const content = [{ type: "text", text: "four" }];

test.each(revisions)(
  "a result by name is checked against the outputSchema that the tool was listed with, in %s (R-471)",
  async (revision) => {
    await using wire = await openServerWire(revision);
    // Before the list is known there is nothing to check.
    expect(await call(wire, { content, structuredContent: {} })).toMatchObject({ content });
    await list(wire);
    expect(await call(wire, { content, structuredContent: { area: 4, unit: "km²" } })).toMatchObject({
      structuredContent: { area: 4 },
    });
    for (const result of [
      { content },
      { content, structuredContent: { area: "4" } },
      { content, structuredContent: { area: 4, unit: "acre" } },
    ]) {
      await expect(call(wire, result)).rejects.toMatchObject({
        code: "INVALID_RESULT",
        message: expect.stringContaining("tool area"),
      });
    }
    expect(await call(wire, { content, isError: true })).toMatchObject({ isError: true });
  },
);

test("a lenient client passes on what does not fit, and warns", async () => {
  const warnings: unknown[] = [];
  const onError = (warning: unknown): void => void warnings.push(warning);
  await using wire = await openServerWire(legacyRevision, { strictness: "lenient", onError });
  await list(wire);
  expect(await call(wire, { content })).toEqual({ resultType: "complete", content });
  expect(warnings).toMatchObject([
    {
      code: "TOLERATED",
      message: expect.stringContaining("(unfitOutput)"),
      cause: { code: "INVALID_RESULT" },
    },
  ]);
});

test("a schema that cannot be used is said to be the reason, and no document is fetched for it (R-491, R-493)", async () => {
  await using wire = await openServerWire(legacyRevision, { strictness: "strict" });
  await list(wire, { type: "object", $ref: "https://example.com/other.json" });
  await expect(call(wire, { content, structuredContent: {} })).rejects.toMatchObject({
    code: "INVALID_RESULT",
    message: expect.stringContaining("the schema cannot be used"),
  });
});

test("a changed list makes what is known of it void, and so does a new one", async () => {
  await using wire = await openServerWire(legacyRevision, undefined, { tools: { listChanged: true } });
  await list(wire);
  await wire.send({ method: "notifications/tools/list_changed" });
  // What comes after the notification is handled after it.
  await Promise.all([wire.session.ping(), wire.answer({})]);
  expect(await call(wire, { content })).toMatchObject({ content });
  await list(wire);
  await list(wire, null);
  expect(await call(wire, { content })).toMatchObject({ content });
  await list(wire, { type: "object", required: ["other"] });
  await expect(call(wire, { content, structuredContent: { area: 1 } })).rejects.toMatchObject({
    code: "INVALID_RESULT",
  });
});

test.each([
  [0, "2025-11-25"],
  [undefined, "2025-03-26"],
] as const)(
  "nothing is remembered with maxListedOutputs %s in %s, which has no structured content in 2025-03-26",
  async (maxListedOutputs, revision) => {
    const options: ClientOptions = { limits: { maxListedOutputs } };
    await using wire = await openServerWire(revision, options);
    await list(wire);
    expect(await call(wire, { content })).toMatchObject({ content });
  },
);

test("no more schemas are remembered than maxListedOutputs", async () => {
  await using wire = await openServerWire(legacyRevision, { limits: { maxListedOutputs: 1 } });
  const listing = wire.session.listTools();
  const tool = { inputSchema: { type: "object" }, outputSchema: area };
  await wire.answer({
    tools: [
      { ...tool, name: "first" },
      { ...tool, name: "area" },
    ],
  });
  await listing;
  expect(await call(wire, { content })).toMatchObject({ content });
  await expect(
    Promise.all([wire.session.callTool({ name: "first" }), wire.answer({ content })]),
  ).rejects.toMatchObject({ code: "INVALID_RESULT" });
});

test("what asks for input is no output yet", async () => {
  await using wire = await openServerWire(modernRevision);
  await list(wire);
  const asked = wire.session.callTool({ name: "area" }, { autoFulfil: false });
  await wire.answer({ resultType: "input_required", requestState: "s" });
  expect(await asked).toMatchObject({ requestState: "s" });
});
