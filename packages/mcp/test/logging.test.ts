import type { Request } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, createLogger, isMcpError, LogLevel, Server } from "@tenon/mcp";
import {
  latestLegacy,
  requestFacts,
  type LoggingLevel,
  type LoggingMessageNotificationParams,
} from "@tenon/protocol";
import { bothEras, inbox, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { converse, legacyRevisions } from "./conversation.ts";
import { connectPair } from "./pair.ts";
import { request } from "./wire.ts";

const levels = Object.keys(LogLevel) as LoggingLevel[];

function addChatter(server: Server): void {
  server.addTool({ name: "chatter" }, async (_, ctx) => {
    for (const level of levels) {
      await ctx.log(level, { at: level }, "part");
    }
    return "";
  });
}

const chatter = { name: "chatter" };
const logLevel = (level: unknown): object => ({ "io.modelcontextprotocol/logLevel": level });
const levelsOf = (messages: readonly unknown[]): unknown[] =>
  messages.map((message) => (message as { params: { level: unknown } }).params.level);

test.each(legacyRevisions)(
  "in %s the level is set per session, and info before that (S-183, R-561)",
  async (revision) => {
    await using it = await converse(revision, addChatter, { logging: true });
    await it.call("tools/call", chatter);
    expect(levelsOf(it.notifications.splice(0))).toEqual(levels.slice(1));
    expect(await it.call("logging/setLevel", { level: "error" })).toMatchObject({ result: {} });
    await it.call("tools/call", chatter);
    expect(it.notifications).toEqual(
      levels.slice(4).map((level) => ({
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level, logger: "part", data: { at: level } },
      })),
    );
  },
);

test("a level that does not exist is -32602, and the level stays (R-561)", async () => {
  await using it = await converse(legacyRevision, addChatter, { logging: { level: "alert" } });
  for (const level of ["loud", "toString", 7, undefined]) {
    expect(await it.call("logging/setLevel", { level })).toMatchObject({ error: { code: -32602 } });
  }
  await it.call("tools/call", chatter);
  expect(levelsOf(it.notifications)).toEqual(["alert", "emergency"]);
});

test("a modern request is told exactly what it asks for, before its answer (R-562, R-563, T-36)", async () => {
  await using it = await converse(modernRevision, addChatter, { logging: true });
  await it.call("tools/call", chatter);
  expect(it.notifications).toEqual([]);
  await it.call("tools/call", chatter, logLevel("critical"));
  expect(levelsOf(it.notifications.splice(0))).toEqual(["critical", "alert", "emergency"]);
  await it.call("tools/call", chatter);
  expect(it.notifications).toEqual([]);
  for (const level of ["loud", 7, {}]) {
    expect(await it.call("tools/call", chatter, logLevel(level))).toMatchObject({ error: { code: -32602 } });
  }
  expect(await it.call("logging/setLevel", { level: "info" })).toMatchObject({ error: { code: -32601 } });
});

test("a server that does not declare logging stays silent and is told once (R-560)", async () => {
  const errors: unknown[] = [];
  await using it = await converse(legacyRevision, addChatter, { onError: (error) => errors.push(error) });
  await it.call("tools/call", chatter);
  await it.call("tools/call", chatter);
  expect(it.notifications).toEqual([]);
  expect(errors).toHaveLength(1);
  expect(isMcpError(errors[0], "CAPABILITY_MISSING")).toBe(true);
  expect(await it.call("logging/setLevel", { level: "info" })).toMatchObject({ error: { code: -32601 } });
});

test("messages to one session keep the interval, those that come too soon are dropped (S-185, S-186, S-187)", async () => {
  const clock = createVirtualClock();
  await using it = await converse(
    legacyRevision,
    (server) => {
      server.addTool({ name: "log" }, async (_, ctx) => {
        await ctx.log("error", 1);
        return "";
      });
    },
    { clock, logging: { name: "everything" }, limits: { logIntervalMs: 100 } },
  );
  const log = { name: "log" };
  await it.call("tools/call", log);
  clock.advance(99);
  await it.call("tools/call", log);
  expect(it.notifications).toHaveLength(1);
  clock.advance(1);
  await it.call("tools/call", log);
  expect(it.notifications).toHaveLength(2);
  expect(it.notifications[0]).toMatchObject({ params: { logger: "everything", data: 1 } });
});

test("a session can log outside a request, in the legacy era (S-183)", async () => {
  await using it = await converse("2025-06-18", () => {}, { logging: true });
  await it.call("ping");
  const [session] = it.server.sessions();
  await session?.log("debug", "too low");
  await session?.log("warning", "careful");
  expect(await it.next()).toMatchObject({ params: { level: "warning", data: "careful" } });
});

test("a logger writes objects with the text under msg, and fits where a console does (S-184)", async () => {
  const seen: unknown[] = [];
  const logger = createLogger(
    { log: async (level, data, name) => void seen.push([level, data, name]) },
    { name: "db" },
  );
  await logger.info("hello", { id: 1 });
  await logger.warn("careful");
  await logger.log("again", { msg: "lost" });
  expect(seen).toEqual([
    ["info", { msg: "hello", id: 1 }, "db"],
    ["warning", { msg: "careful" }, "db"],
    ["info", { msg: "again" }, "db"],
  ]);
});

test.each(bothEras)(
  "on the wire, whatever is written, the data of a logger is an object with the text under msg, in %s",
  async (revision) => {
    const writes = (server: Server): void =>
      server.addTool({ name: "writes" }, async (_, ctx) => {
        const logger = createLogger(ctx, { name: "db" });
        await logger.info("plain");
        await logger.error("failed", { id: 1, msg: "hidden" });
        await logger.warn("7", ["listed"] as never);
        return "";
      });
    await using it = await converse(revision, writes, { logging: true });
    await it.call("tools/call", { name: "writes" }, logLevel("debug"));
    expect(it.notifications.map((message) => (message as { params: object }).params)).toEqual([
      { level: "info", logger: "db", data: { msg: "plain" } },
      { level: "error", logger: "db", data: { id: 1, msg: "failed" } },
      { level: "warning", logger: "db", data: { 0: "listed", msg: "7" } },
    ]);
  },
);

test("a level that is set without a session has no effect, because no later request would have it", async () => {
  const server = new Server({ name: "s", version: "1" }, { logging: true });
  const answer = await new Promise((resolve) => {
    const message = request(1, "logging/setLevel", { level: "error" }) as Request;
    server.handle(
      message,
      { notify: () => undefined, answer: resolve },
      requestFacts(message.params, latestLegacy),
    );
  });
  expect(answer).toMatchObject({ result: {} });
});

test("the levels are ordered, with those of loggers where they have them (S-189, S-190)", () => {
  expect(levels.map((level) => LogLevel[level])).toEqual([-4, 0, 2, 4, 8, 12, 16, 20]);
});

test.each(bothEras)(
  "a client's handler gets the messages in %s, of the level it asks for (S-191)",
  async (revision) => {
    const logs = inbox<LoggingMessageNotificationParams>();
    await using pair = await connectPair(
      { revision, server: { logging: true }, client: { onLog: (message) => logs.put(message) } },
      addChatter,
    );
    await pair.session.callTool(chatter);
    expect(logs.waiting.splice(0).map(({ level }) => level)).toEqual(levels.slice(1));
    await pair.session.setLogLevel("alert");
    await pair.session.callTool(chatter);
    expect(logs.waiting.splice(0).map(({ level }) => level)).toEqual(["alert", "emergency"]);
  },
);

test.each(bothEras)("a client's level is asked for from the beginning in %s", async (revision) => {
  const logs = inbox<LoggingMessageNotificationParams>();
  await using pair = await connectPair(
    {
      revision,
      server: { logging: true },
      client: { onLog: (message) => logs.put(message), logLevel: "emergency" },
    },
    addChatter,
  );
  await pair.session.callTool(chatter);
  expect(logs.waiting.map(({ level }) => level)).toEqual(["emergency"]);
});

test("messages that a legacy server sends before the client is ready reach the handler, in their order (R-167)", async () => {
  const [here, there] = createInMemoryTransports();
  const connection = await there.connect();
  const logs = inbox<unknown>();
  const errors = inbox<unknown>();
  const client = new Client(
    { name: "c", version: "1" },
    {
      revisions: [legacyRevision],
      onLog: ({ data }) => {
        logs.put(data);
        if (data === 2) {
          throw new Error("mine");
        }
      },
      onError: (error) => errors.put(error),
    },
  );
  const connecting = client.connect(here);
  const { id } = (await connection.read()) as Request;
  const log = (data: unknown): Promise<void> =>
    connection.write({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } });
  await log(1);
  const result = {
    protocolVersion: legacyRevision,
    capabilities: { logging: {} },
    serverInfo: { name: "s", version: "1" },
  };
  await connection.write({ jsonrpc: "2.0", id, result });
  await log(2);
  await log(3);
  await using _ = await connecting;
  expect([await logs.take(), await logs.take(), await logs.take()]).toEqual([1, 2, 3]);
  expect(await errors.take()).toMatchObject({ message: "mine" });
});

test.each([undefined, 0])("with an interval of %s every message is sent (S-187)", async (logIntervalMs) => {
  await using it = await converse(
    legacyRevision,
    (server) => {
      server.addTool({ name: "log" }, async (_, ctx) => {
        for (let count = 0; count < 50; count++) {
          await ctx.log("error", count);
        }
        return "";
      });
    },
    { clock: createVirtualClock(), logging: true, limits: { logIntervalMs } },
  );
  await it.call("tools/call", { name: "log" });
  expect(it.notifications).toHaveLength(50);
});
