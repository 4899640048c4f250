import { once } from "node:events";

import type { RequestContext } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, everyRevision } from "./conversation.ts";
import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

const cancelled = (params: object): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params,
});

test.each(everyRevision)(
  "a client cancels its own requests that are in flight, once, and no others, in %s (R-410, R-411)",
  async (revision) => {
    await using wire = await openServerWire(revision);
    const before = new AbortController();
    before.abort(new Error("never sent"));
    await expect(wire.session.listTools({}, { signal: before.signal })).rejects.toThrow("never sent");

    const during = new AbortController();
    const calling = wire.session.callTool({ name: "t" }, { signal: during.signal });
    const { id } = await wire.next();
    during.abort(new Error("too slow"));
    during.abort(new Error("again"));
    await expect(calling).rejects.toThrow("too slow");
    const notice = await wire.next();
    expect(notice).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: id, reason: "too slow" },
    });

    const after = new AbortController();
    const listing = wire.session.listTools({}, { signal: after.signal });
    await wire.answer({ tools: [] });
    await listing;
    after.abort();
    const pinging = wire.session.ping();
    expect(await wire.next()).toMatchObject({
      method: eraOf(revision) === "modern" ? "server/discover" : "ping",
    });
    await wire.session.close({ drainMs: 0 });
    await expect(pinging).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  },
);

test.each(bothEras)(
  "an answer that comes after the cancellation is passed over, in %s (R-413)",
  async (revision) => {
    const errors: unknown[] = [];
    await using wire = await openServerWire(revision, { onError: (error) => void errors.push(error) });
    for (const late of [{ result: { content: [] } }, { error: { code: 1, message: "cancelled" } }]) {
      const controller = new AbortController();
      const calling = wire.session.callTool({ name: "t" }, { signal: controller.signal });
      const { id } = await wire.next();
      controller.abort();
      await expect(calling).rejects.toThrow("aborted");
      await wire.next();
      await wire.send({ id, ...late });
    }
    const listing = wire.session.listTools();
    await wire.answer({ tools: [] });
    expect(await listing).toEqual({ tools: [] });
    expect(errors).toEqual([]);
  },
);

test.each(everyRevision)(
  "a handler's signal fires when its request is cancelled, and the request is not answered, in %s (R-259, R-412, R-419)",
  async (revision) => {
    const started = deferred<RequestContext>();
    const stopped = deferred<unknown>();
    await using it = await converse(revision, (server) => {
      server.addTool({ name: "slow" }, async (_, ctx) => {
        started.resolve(ctx);
        await new Promise((resolve) => {
          ctx.signal.addEventListener("abort", resolve);
        });
        stopped.resolve(ctx.signal.reason);
        await ctx.progress(1);
        return "too late";
      });
    });
    await it.send(9, "tools/call", { name: "slow", _meta: { progressToken: 1 } });
    await started.promise;
    await it.wire.tell(cancelled({ requestId: 9, reason: "the user left" }));
    expect(await stopped.promise).toMatchObject({ message: "the user left" });
    await it.call("tools/list");
    expect(it.notifications).toEqual([]);
  },
);

test.each(bothEras)("a handler's signal fires when the connection ends, in %s (R-419)", async (revision) => {
  const started = deferred<AbortSignal>();
  await using it = await converse(revision, (server) => {
    server.addTool({ name: "slow" }, (_, { signal }) => {
      started.resolve(signal);
      return new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => resolve(""));
      });
    });
  });
  await it.send(9, "tools/call", { name: "slow" });
  const signal = await started.promise;
  expect(signal.aborted).toBe(false);
  const aborted = once(signal, "abort");
  await it.wire.connection.close();
  await aborted;
  expect(signal.reason).toMatchObject({ code: "CONNECTION_CLOSED" });
});

test.each(everyRevision)(
  "a cancellation without an id, of an unknown one, or of a finished one does nothing, in %s (R-410, R-418)",
  async (revision) => {
    const seen: boolean[] = [];
    const finish = deferred();
    await using it = await converse(revision, (server) => {
      server.addTool({ name: "slow" }, async (_, { signal }) => {
        await finish.promise;
        seen.push(signal.aborted);
        return "done";
      });
    });
    await it.send(9, "tools/call", { name: "slow" });
    for (const params of [
      {},
      { reason: "no id" },
      { requestId: 10 },
      { requestId: "9" },
      { requestId: null },
    ]) {
      await it.wire.tell(cancelled(params));
    }
    await it.call("tools/list");
    finish.resolve();
    expect(await it.next()).toMatchObject({ id: 9, result: { content: [{ text: "done" }] } });
    await it.wire.tell(cancelled({ requestId: 9 }));
    await it.call("tools/list");
    expect(seen).toEqual([false]);
  },
);

test("neither side can cancel what it did not ask: ids of the two directions are apart (R-410, R-411)", async () => {
  const asked = deferred();
  await using pair = await connectPair({ revision: legacyRevision, client: { roots: [] } }, (server) => {
    server.addTool({ name: "asks" }, async (_, ctx) => {
      asked.resolve();
      return `${(await ctx.listRoots()).length} roots, ${ctx.signal.aborted}`;
    });
  });
  const calling = pair.session.callTool({ name: "asks" });
  await asked.promise;
  for (let requestId = 0; requestId < 10; requestId++) {
    const [serverSession] = pair.server.sessions();
    await serverSession?.notify("notifications/cancelled", { requestId });
  }
  expect(await calling).toMatchObject({ content: [{ text: "0 roots, false" }] });
});
