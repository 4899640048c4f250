import { isRpcError } from "@tenon/jsonrpc2";
import { Client, Server, ToolError, type ClientSession } from "@tenon/mcp";
import {
  createAudit,
  limitCalls,
  logRequests,
  tooManyRequests,
  visibleTools,
  type AuditEvent,
} from "@tenon/operations";
import { createMemoryRateLimits } from "@tenon/stores";
import { expect, onTestFinished, test } from "vitest";

import { shapes } from "./shapes.ts";

/** A server with the tools `add`, `fail`, `crash` and `secret`. */
function createServer(): Server {
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  server.addTool({ name: "add" }, () => "3");
  server.addTool({ name: "fail" }, () => {
    throw new ToolError("not today");
  });
  server.addTool({ name: "secret" }, () => "42");
  return server;
}

async function open(shape: string, server: Server): Promise<ClientSession> {
  const { revision, serve } = shapes[shape] ?? expect.fail(`no shape ${shape}`);
  const endpoint = serve(server);
  const { transport } = await endpoint.client();
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  onTestFinished(async () => {
    await client.close();
    await endpoint.close();
  });
  return client.connect(transport);
}

const caller = (): string => "Ada";
const names = Object.keys(shapes);

test.each(names)("a hidden tool is neither listed nor known to a call (%s, S-066)", async (shape) => {
  const server = createServer();
  server.addReceivingMiddleware(...visibleTools((_, tool) => tool !== "secret"));
  const session = await open(shape, server);
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["add", "fail"]);
  const hidden: unknown = await session.callTool({ name: "secret" }).catch((error: unknown) => error);
  const unknown: unknown = await session.callTool({ name: "nothing" }).catch((error: unknown) => error);
  expect(hidden).toMatchObject({ code: -32602, message: "Unknown tool: secret" });
  expect(unknown).toMatchObject({ code: -32602, message: "Unknown tool: nothing" });
});

test.each(names)("a call above the quota of its tool says when to come again (%s, S-085)", async (shape) => {
  const server = createServer();
  server.addReceivingMiddleware(
    limitCalls({ rates: createMemoryRateLimits(), tools: { add: { burst: 2, perSecond: 0.001 } }, caller }),
  );
  const session = await open(shape, server);
  await session.callTool({ name: "add" });
  await session.callTool({ name: "add" });
  const refused: unknown = await session.callTool({ name: "add" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: tooManyRequests, data: { retryAfterMs: expect.any(Number) } });
  expect(isRpcError(refused)).toBe(true);
  await expect(session.callTool({ name: "fail" })).resolves.toMatchObject({ isError: true });
});

test.each(names)("requests are logged and audited with their outcome (%s)", async (shape) => {
  const server = createServer();
  const lines: string[] = [];
  const take = (_: object, message: string): void => void lines.push(message);
  const events: AuditEvent[] = [];
  const audit = createAudit({ write: (batch) => void events.push(...(batch as AuditEvent[])) });
  const select = ({ method }: { readonly method: string }): boolean => method === "tools/call";
  server.addReceivingMiddleware(logRequests({ info: take, warn: take, error: take }, { select }));
  server.addReceivingMiddleware(audit.middleware);
  const session = await open(shape, server);
  await session.callTool({ name: "add" });
  await session.callTool({ name: "fail" });
  await expect(session.callTool({ name: "nothing" })).rejects.toThrow("Unknown tool");
  await audit.close();
  expect(lines).toEqual(["tools/call ok", "tools/call tool_error", "tools/call rejected"]);
  expect(
    events
      .filter(({ method }) => method === "tools/call")
      .map(({ target, outcome, code }) => [target, outcome, code]),
  ).toEqual([
    ["add", "ok", undefined],
    ["fail", "tool_error", undefined],
    ["nothing", "rejected", -32602],
  ]);
});
