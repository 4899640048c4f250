import type { CallToolResult } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import {
  Manager,
  ResourceCache,
  toAiSdkOutput,
  toAnthropicToolResult,
  toEngineResult,
  toGeminiParts,
  toOpenAiChatMessages,
  toOpenAiResponsesOutput,
  truncateResult,
} from "../src/index.ts";
import { addEcho, localServer } from "./fixture.ts";

// What a tool gives back may be anything: it reaches the model within its limits, or is refused in
// words.

const odd: readonly object[] = [
  { type: "text" },
  { type: "text", text: 5 },
  { type: "image" },
  { type: "image", data: null, mimeType: "image/png" },
  { type: "audio", data: "aGk=" },
  { type: "resource" },
  { type: "resource", resource: null },
  { type: "resource", resource: "x" },
  { type: "resource", resource: { uri: "x:" } },
  { type: "resource", resource: { uri: "x:", text: {} } },
  { type: "resource_link" },
  { type: "video", data: "aGk=" },
  { type: null },
  { type: { toString: null } },
  {},
];

async function callOf(result: object, maxResultBytes = 1000): Promise<CallToolResult> {
  const bad = localServer(addEcho, {
    server: { revisions: [legacyRevision] },
    policy: { limits: { maxResultBytes } },
  });
  bad.server.addReceivingMiddleware(
    (next) => (request) => (request.method === "tools/call" ? result : next(request)),
  );
  await using manager = new Manager({ servers: { bad: bad.spec } });
  return await manager.callTool("bad", "echo", { text: "" });
}

test.each(odd)("a block that is not whole reaches every kind of model as text: %j", async (block) => {
  const result = await callOf({ content: [block] });
  expect(toEngineResult(result).content).toEqual([{ type: "text", text: JSON.stringify(block) }]);
  for (const convert of [
    () => toAiSdkOutput(result),
    () => toAnthropicToolResult("id", result),
    () => toGeminiParts("name", result),
    () => toOpenAiChatMessages("id", result),
    () => toOpenAiResponsesOutput("id", result),
  ]) {
    expect(JSON.stringify(convert()).length).toBeLessThan(1000);
  }
});

test.each([
  { type: "video", data: "x".repeat(5000) },
  { type: "text", text: "a", hidden: "x".repeat(5000) },
  { type: "image", data: "aGk=", mimeType: "x".repeat(5000) },
  { type: "resource", resource: { uri: `x:${"x".repeat(5000)}`, text: "a" } },
  { type: "resource_link", uri: "x:", name: "n", mimeType: "x".repeat(5000) },
  { type: "text", text: { much: "x".repeat(5000) } },
])("no member of a block gets round the limit of a result: $type", async (block) => {
  const { content, _meta } = await callOf({ content: [block] });
  expect(JSON.stringify(content).length).toBeLessThan(1200);
  expect(_meta).toMatchObject({ "dev.tenon/truncated": { limit: 1000 } });
});

test.each([
  ["_meta", { _meta: { "x.test/big": "x".repeat(5_000_000) } }],
  ["a member that the protocol does not know", { extra: "x".repeat(5000) }],
])("%s of a result counts towards its limit, and is left out beyond it", async (_, more) => {
  const result = await callOf({ content: [{ type: "text", text: "fine" }], isError: true, ...more });
  expect(JSON.stringify(result).length).toBeLessThan(1000);
  expect(result).toEqual({
    content: [
      { type: "text", text: "fine" },
      {
        type: "text",
        text: expect.stringMatching(/^\[Truncated: \d+ of \d+ bytes were left out; the limit is 1000\.\]$/),
      },
    ],
    isError: true,
    _meta: { "dev.tenon/truncated": { omitted: expect.any(Number), limit: 1000 } },
  });
});

test("a short _meta does not count and stays, also where something else is cut", async () => {
  const _meta = { "x.test/id": "1" };
  const whole = { content: [{ type: "text", text: "x".repeat(1000) }], _meta };
  expect(await callOf(whole)).toMatchObject(whole);
  const cut = await callOf({ ...whole, content: [{ type: "text", text: "x".repeat(1001) }] });
  expect(cut._meta).toMatchObject({ ..._meta, "dev.tenon/truncated": { omitted: 1, limit: 1000 } });
});

test("what a block says besides its payload does not count while it is short", () => {
  const text = { type: "text", text: "x".repeat(100), annotations: { priority: 1 } } as const;
  const result = { content: [text] };
  expect(truncateResult(result, 100)).toBe(result);
});

test.each([{}, { content: null }])("a result without content has none: %j", async (result) => {
  expect(await callOf(result)).toEqual({ content: [] });
});

test.each([{ content: [null] }, { content: [5] }, { content: {} }])(
  "content that is none is refused: %j",
  async (result) => {
    await expect(callOf(result)).rejects.toMatchObject({ code: "REQUEST_FAILED", delivered: "yes" });
  },
);

test.each([
  {},
  { contents: null },
  { contents: "text" },
  { contents: [null] },
  { contents: [{ uri: 5, text: {} }] },
  { contents: [{ uri: "x:", blob: null }] },
  { contents: [{ text: "no uri" }] },
])("a resource that is none is refused, and does no harm: %j", async (result) => {
  const bad = localServer((server) => server.addResource({ uri: "x:1", name: "x" }, () => ""), {
    server: { revisions: [modernRevision] },
  });
  bad.server.addReceivingMiddleware(
    (next) => (request) => (request.method === "resources/read" ? result : next(request)),
  );
  await using manager = new Manager({ servers: { bad: bad.spec } });
  await expect(manager.readResource("bad", "x:1")).rejects.toMatchObject({
    code: "REQUEST_FAILED",
    delivered: "yes",
    cause: { code: "INVALID_RESULT" },
  });
});

test("hints for caches that are none keep nothing, and what a server sends along counts", async () => {
  const cache = new ResourceCache({ limits: { maxBytes: 10_000 } });
  const result = { contents: [{ uri: "x:1", text: "a" }] };
  cache.set("s", "x:1", { ...result, ttlMs: "soon", cacheScope: 7 } as never);
  expect(cache.size).toBe(0);
  cache.set("s", "x:1", { ...result, _meta: { large: "x".repeat(10_000) } });
  expect(cache.size).toBe(0);
  cache.set("s", "x:1", result);
  expect([cache.size, Number.isInteger(cache.bytes)]).toEqual([1, true]);
});
