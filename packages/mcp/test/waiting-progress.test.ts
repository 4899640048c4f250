import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { RequestContext } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { macrotask, nameForm, serve } from "./asking.ts";
import { request, type Wire } from "./wire.ts";

const clientInfo = { name: "wire", version: "1" };

async function openLegacy(wire: Wire, protocolVersion: string): Promise<void> {
  const params = { protocolVersion, capabilities: { elicitation: {}, sampling: {} }, clientInfo };
  await wire.ask(request("init", "initialize", params));
  await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
}

const askName = async (ctx: RequestContext): Promise<string> => {
  await ctx.progress(3, 10, "found");
  const { action } = await ctx.elicit({ message: "Who?", requestedSchema: nameForm });
  await ctx.progress(4, 10, "done");
  return action;
};

/** A `tools/call` whose client wants progress. */
const call = (meta: object = { progressToken: "p" }): object =>
  request(1, "tools/call", { name: "ask", _meta: meta });

const progressOf = (message: unknown): { progress: number; total?: number; message?: string } =>
  (message as { params: { progress: number } }).params;

test("while a legacy client's user thinks, its call gets progress every 15 seconds, and none afterwards", async () => {
  const clock = createVirtualClock();
  await using wire = await serve(askName, { clock });
  await openLegacy(wire, legacyRevision);
  await wire.tell(call());
  expect(progressOf(await wire.next())).toMatchObject({ progress: 3, message: "found" });
  const asked = (await wire.next()) as { id: number; method: string };
  expect(asked.method).toBe("elicitation/create");
  let before = 3;
  for (let minute = 0; minute < 8; minute++) {
    clock.advance(14_999);
    await macrotask();
    clock.advance(1);
    const { progress, total, message } = progressOf(await wire.next());
    expect(progress).toBeGreaterThan(before);
    expect([total, message]).toEqual([10, "Waiting for the response of the user"]);
    before = progress;
  }
  expect(before).toBeLessThan(3.001);
  await wire.tell({ jsonrpc: "2.0", id: asked.id, result: { action: "decline" } });
  expect(progressOf(await wire.next())).toMatchObject({ progress: 4, message: "done" });
  expect(await wire.next()).toMatchObject({ id: 1, result: { content: [{ text: "decline" }] } });
  clock.advance(60_000);
  expect(await wire.ask(request(2, "ping"))).toMatchObject({ id: 2 });
});

test("a handler that begins to report after a wait is heard from its first report on, also if that is 0", async () => {
  const clock = createVirtualClock();
  const begin = async (ctx: RequestContext): Promise<string> => {
    const { action } = await ctx.elicit({ message: "Who?", requestedSchema: nameForm });
    await ctx.progress(0, 10, "begun");
    await ctx.progress(0, 10, "again");
    await ctx.progress(1, 10, "first");
    return action;
  };
  await using wire = await serve(begin, { clock });
  await openLegacy(wire, legacyRevision);
  await wire.tell(call());
  const { id } = (await wire.next()) as { id: number };
  clock.advance(15_000);
  const waiting = progressOf(await wire.next()).progress;
  await wire.tell({ jsonrpc: "2.0", id, result: { action: "decline" } });
  const { progress, ...begun } = progressOf(await wire.next());
  expect(progress).toBeGreaterThan(waiting);
  expect(progress).toBeLessThan(0.001);
  expect(begun).toMatchObject({ total: 10, message: "begun" });
  expect(progressOf(await wire.next())).toMatchObject({ progress: 1, message: "first" });
});

test("a call without a progress token, or whose client cancels, gets no progress while its user thinks", async () => {
  const clock = createVirtualClock();
  await using wire = await serve(askName, { clock });
  await openLegacy(wire, legacyRevision);
  await wire.tell(call({}));
  const asked = (await wire.next()) as { id: number };
  clock.advance(120_000);
  await wire.tell({ jsonrpc: "2.0", id: asked.id, result: { action: "cancel" } });
  expect(await wire.next()).toMatchObject({ id: 1, result: { content: [{ text: "cancel" }] } });

  await wire.tell(call());
  await wire.next();
  await wire.next();
  await wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  expect(await wire.next()).toMatchObject({ method: "notifications/cancelled" });
  clock.advance(120_000);
  expect(await wire.ask(request(3, "ping"))).toMatchObject({ id: 3 });
});
