import { Console } from "node:console";
import { PassThrough, Writable } from "node:stream";

import { Server, ToolError } from "@tenon/mcp";
import { logRequests, type LogRequestsOptions } from "@tenon/operations";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { pino } from "pino";
import { expect, test } from "vitest";

import { connect } from "./pair.ts";

function createServer(logger?: Parameters<typeof logRequests>[0], options?: LogRequestsOptions): Server {
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  server.addTool({ name: "add", input: { type: "object" } }, () => "3");
  server.addPrompt({ name: "broken" }, () => {
    throw new Error("disk");
  });
  server.addReceivingMiddleware(logRequests(logger, options));
  return server;
}

test("pino gets every field, with the level of the outcome", async () => {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const session = await connect(createServer(pino({ base: null }, sink)), legacyRevision);
  await session.callTool({ name: "add", arguments: { password: "hunter2" } });
  await expect(session.callTool({ name: "nothing\nelse" })).rejects.toThrow("Unknown tool");
  await expect(session.getPrompt({ name: "broken" })).rejects.toThrow("Internal error");
  const fields = { revision: legacyRevision, durationMs: expect.any(Number), requestId: expect.anything() };
  expect(lines.filter(({ method }) => method !== "ping")).toMatchObject([
    { level: 30, msg: "tools/call ok", method: "tools/call", target: "add", outcome: "ok", ...fields },
    { level: 40, msg: "tools/call rejected", target: "nothing\nelse", code: -32602, ...fields },
    { level: 50, msg: "prompts/get failed", target: "broken", err: { message: "disk" }, ...fields },
  ]);
  expect(JSON.stringify(lines)).not.toContain("hunter2");
});

test("an exception that a tool did not expect is a failure, and what it reports itself is not", async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = {
    info: (fields: object, msg: string) => void lines.push({ ...fields, msg }),
    warn: (fields: object, msg: string) => void lines.push({ ...fields, msg }),
    error: (fields: object, msg: string) => void lines.push({ ...fields, msg }),
  };
  const server = createServer(logger);
  server.addTool({ name: "crash" }, () => {
    throw new RangeError("off by one");
  });
  server.addTool({ name: "told" }, () => {
    throw new ToolError("Out of paper.");
  });
  server.addTool({ name: "typed", input: { type: "object", required: ["x"] } }, () => "");
  const session = await connect(server, modernRevision);
  for (const name of ["crash", "told", "typed"]) {
    expect(await session.callTool({ name })).toMatchObject({ isError: true });
  }
  const calls = lines.filter(({ method }) => method === "tools/call");
  expect(calls).toMatchObject([
    { target: "crash", outcome: "failed", err: { message: "off by one" } },
    { target: "told", outcome: "tool_error" },
    { target: "typed", outcome: "tool_error" },
  ]);
  expect(calls.slice(1).filter((each) => "err" in each)).toEqual([]);
});

test("a console gets the same fields", async () => {
  const out = new PassThrough({ encoding: "utf8" });
  const session = await connect(createServer(new Console(out, out)), legacyRevision);
  await session.callTool({ name: "add" });
  const text = String(out.read());
  expect(text).toContain("tools/call ok");
  expect(text).toContain("target: 'add'");
});

test("a logger that throws does not fail a call", async () => {
  const errors: unknown[] = [];
  const fail = (): never => {
    throw new Error("The log is full.");
  };
  const logger = { info: fail, warn: fail, error: fail };
  const server = createServer(logger, { onError: (error) => errors.push(error) });
  const session = await connect(server, legacyRevision);
  await session.callTool({ name: "add" });
  expect(errors).toContainEqual(expect.objectContaining({ message: "The log is full." }));
});

test("a line has the trace ID that the sender gave, and the fields of the program", async () => {
  const lines: object[] = [];
  const add = (fields: object): void => void lines.push(fields);
  const logger = { info: add, warn: add, error: add };
  const session = await connect(
    createServer(logger, { fields: ({ method }) => ({ seen: method }) }),
    modernRevision,
  );
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await session.callTool({ name: "add", _meta: { traceparent } });
  await session.callTool({ name: "add", _meta: { traceparent: "00-forged\nline" } });
  const calls = lines.filter((line) => "target" in line && line.target === "add");
  expect(calls).toMatchObject([{ traceId: "0af7651916cd43dd8448eb211c80319c", seen: "tools/call" }, {}]);
  expect(calls[1]).not.toHaveProperty("traceId");
});

test("a select that throws fails no request, hides none, and is reported", async () => {
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const errors: unknown[] = [];
  const server = createServer(
    { info: note, warn: note, error: note },
    {
      select: ({ method }) => {
        throw new Error(`mistake about ${method}`);
      },
      onError: (error) => void errors.push((error as Error).message),
    },
  );
  const session = await connect(server, modernRevision);
  const { content } = await session.callTool({ name: "add", arguments: {} });
  expect(content).toEqual([{ type: "text", text: "3" }]);
  expect(lines).toContain("tools/call ok");
  expect(errors).toContain("mistake about tools/call");
});
