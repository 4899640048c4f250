import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Server } from "@tenon/mcp";
import { createAudit, type AuditEvent, type AuditGap, type AuditOptions } from "@tenon/operations";
import { deferred, inbox, legacyRevision, modernRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { AuditQueue } from "../src/audit/queue.ts";
import { connect, serve } from "./pair.ts";

type Batch = readonly (AuditEvent | AuditGap)[];

function audited(options: Partial<AuditOptions> & Pick<AuditOptions, "write">) {
  const audit = createAudit({ select: ({ method }) => method === "tools/call", ...options });
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  server.addTool({ name: "add", input: { type: "object" } }, () => "3");
  server.addTool({ name: "ask" }, async (_, { elicit }) => {
    const { action } = await elicit({
      message: "Sure?",
      requestedSchema: { type: "object", properties: {} },
    });
    return action;
  });
  server.addReceivingMiddleware(audit.middleware);
  return { audit, server };
}

test("an event names who called what over HTTP, and shows what it may of the arguments", async () => {
  const events: (AuditEvent | AuditGap)[] = [];
  const { audit, server } = audited({
    write: (batch) => void events.push(...batch),
    arguments: (value, { target }) => ({ ...(value as object), password: undefined, of: target }),
  });
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate: () => ({ principal: "ada", clientId: "cli" }),
  });
  const url = `${await serve(handler)}/mcp`;
  await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add", arguments: { a: 1, password: "hunter2" } },
    }),
  });
  await handler.close();
  await audit.close();
  expect(events).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      method: "tools/call",
      target: "add",
      principal: "ada",
      clientId: "cli",
      address: expect.stringContaining("127.0.0.1"),
      outcome: "ok",
      code: undefined,
      durationMs: expect.any(Number),
      arguments: '{"a":1,"of":"add"}',
    },
  ]);
});

test("a select that throws fails no request, hides none, and is reported", async () => {
  const events: (AuditEvent | AuditGap)[] = [];
  const errors: unknown[] = [];
  const { audit, server } = audited({
    write: (batch) => void events.push(...batch),
    select: ({ method }) => {
      throw new Error(`mistake about ${method}`);
    },
    onError: (error) => void errors.push((error as Error).message),
  });
  const session = await connect(server, modernRevision);
  const { content } = await session.callTool({ name: "add", arguments: {} });
  await audit.close();
  expect(content).toEqual([{ type: "text", text: "3" }]);
  expect(events).toContainEqual(expect.objectContaining({ method: "tools/call", outcome: "ok" }));
  expect(errors).toContain("mistake about tools/call");
});

test("what select excludes is not recorded", async () => {
  const events: (AuditEvent | AuditGap)[] = [];
  const selected: string[] = [];
  const { audit, server } = audited({
    write: (batch) => void events.push(...batch),
    select: ({ method }) => {
      selected.push(method);
      return method !== "tools/list";
    },
  });
  const session = await connect(server, legacyRevision);
  await session.listTools();
  await session.callTool({ name: "add", arguments: {} });
  await audit.close();
  expect(selected).toContain("tools/list");
  expect(events.map((event) => ("method" in event ? event.method : event))).toEqual(["tools/call"]);
});

test("the queue forgets senders whose events are written", async () => {
  const written: unknown[] = [];
  const queue = new AuditQueue((batch) => void written.push(...batch), {
    maxQueued: 100,
    maxBatch: 7,
    writeTimeoutMs: 1_000,
    initialDelayMs: 1,
    maxDelayMs: 1,
    onError: () => {},
  });
  for (let index = 0; index < 40; index++) {
    const sender = { principal: `p${index % 20}`, method: "tools/call", time: "", id: "" };
    queue.add(sender as AuditEvent);
  }
  expect(queue.senders).toBe(20);
  await queue.end(10_000);
  expect(written).toHaveLength(40);
  expect(queue.senders).toBe(0);
});

test("each round of a call that needs input is an event", async () => {
  const events: (AuditEvent | AuditGap)[] = [];
  const { audit, server } = audited({ write: (batch) => void events.push(...batch) });
  const handler = createStreamableHandler({ getServer: () => server, sessions: false });
  const url = `${await serve(handler)}/mcp`;
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "ask",
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modernRevision,
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      },
    },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": modernRevision,
      "mcp-method": "tools/call",
      "mcp-name": "ask",
    },
    body: JSON.stringify(body),
  });
  expect(await response.json()).toMatchObject({ result: { resultType: "input_required" } });
  await handler.close();
  await audit.close();
  expect(events).toMatchObject([{ target: "ask", outcome: "input_required" }]);
});

test("a call does not wait for its event, and a write that fails is repeated with the same events", async () => {
  const clock = createVirtualClock();
  const batches: Batch[] = [];
  const failed = deferred();
  const errors: unknown[] = [];
  const written = deferred();
  const { audit, server } = audited({
    write: async (batch) => {
      batches.push([...batch]);
      if (batches.length === 1) {
        await failed.promise;
      } else {
        written.resolve();
      }
    },
    onError: (error) => errors.push(error),
    clock,
  });
  const session = await connect(server, legacyRevision);
  await session.callTool({ name: "add" });
  await session.callTool({ name: "add" });
  expect(batches).toHaveLength(1);
  failed.reject(new Error("The disk is full."));
  await expect.poll(() => clock.timers).toBe(1);
  expect(errors).toMatchObject([{ cause: { message: "The disk is full." } }]);
  clock.advance(500);
  await written.promise;
  await audit.close();
  const [first, second] = batches;
  expect(second?.map(({ id }) => id)).toContain(first?.[0]?.id);
  expect(
    new Set(
      batches
        .slice(1)
        .flat()
        .map(({ id }) => id),
    ).size,
  ).toBe(2);
});

test("events above the limit are dropped and counted, and a write that hangs ends nothing but itself", async () => {
  const clock = createVirtualClock();
  const batches = inbox<Batch>();
  let isHanging = true;
  const errors: unknown[] = [];
  const { audit, server } = audited({
    write: (batch) => {
      if (isHanging) {
        return new Promise<void>(() => {});
      }
      batches.put(batch);
      return undefined;
    },
    onError: (error) => errors.push(error),
    limits: { maxQueued: 4, writeTimeoutMs: 1_000, initialDelayMs: 10 },
    clock,
  });
  const session = await connect(server, legacyRevision);
  for (let index = 0; index < 7; index++) {
    await session.callTool({ name: "add" });
  }
  expect(errors).toMatchObject([{ message: expect.stringContaining("maxQueued") }]);
  expect(audit.queued).toBe(2);
  isHanging = false;
  clock.advance(1_000);
  await expect.poll(() => errors.length).toBe(2);
  clock.advance(10);
  const all: (AuditEvent | AuditGap)[] = [];
  while (!all.some((event) => "dropped" in event)) {
    all.push(...(await batches.take()));
  }
  // One sender has half of the queue.
  expect(all.map((event) => ("dropped" in event ? event.dropped : event.outcome))).toEqual(["ok", "ok", 5]);
  await audit.close();
  expect(audit.queued).toBe(0);
});

test("close tells how many events were not written", async () => {
  const clock = createVirtualClock();
  const { audit, server } = audited({ write: () => new Promise(() => {}), clock });
  const session = await connect(server, legacyRevision);
  await session.callTool({ name: "add" });
  const closed = audit.close();
  clock.advance(10_000);
  await expect(closed).rejects.toThrow(/1 audit events were not written/);
});

test("arguments that cannot be shown are left out, and reported", async () => {
  const errors: unknown[] = [];
  const events: (AuditEvent | AuditGap)[] = [];
  const { audit, server } = audited({
    write: (batch) => void events.push(...batch),
    arguments: () => expect.fail("no"),
    onError: (error) => errors.push(error),
  });
  const session = await connect(server, legacyRevision);
  await session.callTool({ name: "add", arguments: { a: 1 } });
  await audit.close();
  expect(events).toMatchObject([{ outcome: "ok", arguments: undefined }]);
  expect(errors).toHaveLength(1);
});
