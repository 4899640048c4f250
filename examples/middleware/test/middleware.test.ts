import { isRpcError } from "@tenon/sdk/client";
import { expect, test } from "vitest";

import { logging } from "../src/logging.ts";
import { eachClient, eachMethod, everything, rateLimit, rateLimited } from "../src/rate-limit.ts";
import { tracingClient, tracingServer, type Span } from "../src/tracing.ts";
import { connect, createServer, eras } from "./connect.ts";

const add = (a: number): { name: string; arguments: Record<string, unknown> } => ({
  name: "add",
  arguments: { a, b: 1 },
});

test.each(eras)(
  "logging writes one line per request with its outcome, in %s (S-083, S-076, S-082)",
  async (revision) => {
    const server = createServer();
    const lines: string[] = [];
    server.addReceivingMiddleware(logging((line) => lines.push(line)));
    await using session = await connect(server, revision);
    lines.length = 0;
    await session.callTool({ name: "add", arguments: { a: 1, b: 1 } });
    await session.callTool({ name: "fail" });
    await expect(session.callTool({ name: "nothing" })).rejects.toThrow("Unknown tool");
    expect(lines.map((line) => line.replace(/ [\d.]+ ms$/, ""))).toEqual([
      "tools/call ok",
      "tools/call failed: ToolError: not today",
      "tools/call refused: RpcError: Unknown tool: nothing",
    ]);
  },
);

const isRefused = (error: unknown): boolean => isRpcError(error) && error.code === rateLimited;

test.each(eras)(
  "a limit for everything counts all requests, and lets them in again later, in %s (S-085)",
  async (revision) => {
    let time = 0;
    const server = createServer();
    await using session = await connect(server, revision);
    server.addReceivingMiddleware(rateLimit({ perSecond: 1, burst: 2, bucket: everything, now: () => time }));
    await session.callTool(add(1));
    await session.listTools();
    await expect(session.callTool(add(1))).rejects.toSatisfy(
      (error) =>
        isRefused(error) &&
        isRpcError(error) &&
        (error.data as { retryAfterMs: number }).retryAfterMs === 1000,
    );
    time = 1000;
    await session.callTool(add(1));
    await expect(session.callTool(add(1))).rejects.toSatisfy(isRefused);
  },
);

test.each(eras)("a limit for each method leaves the other methods alone, in %s (S-085)", async (revision) => {
  const server = createServer();
  await using session = await connect(server, revision);
  const bucket = eachMethod("tools/list", "tools/call");
  server.addReceivingMiddleware(rateLimit({ perSecond: 0.001, burst: 1, bucket, now: () => 0 }));
  await session.callTool(add(1));
  await expect(session.callTool(add(1))).rejects.toSatisfy(isRefused);
  await session.listTools();
  await expect(session.listTools()).rejects.toSatisfy(isRefused);
});

test.each(eras)(
  "a limit for each client leaves the other clients alone, in %s (S-085, S-180)",
  async (revision) => {
    const server = createServer();
    await using one = await connect(server, revision);
    await using other = await connect(server, revision);
    server.addReceivingMiddleware(
      rateLimit({ perSecond: 0.001, burst: 1, bucket: eachClient, now: () => 0 }),
    );
    await one.callTool(add(1));
    await expect(one.callTool(add(1))).rejects.toSatisfy(isRefused);
    await other.callTool(add(1));
  },
);

test.each(eras)(
  "a trace goes from the client's span to the server's by _meta, in %s (S-084, R-145, R-146)",
  async (revision) => {
    const spans: Record<"client" | "server", Span[]> = { client: [], server: [] };
    const server = createServer();
    server.addReceivingMiddleware(tracingServer((span) => spans.server.push(span)));
    await using session = await connect(server, revision, (client) => {
      client.addSendingMiddleware(tracingClient((span) => spans.client.push(span)));
    });
    await session.callTool(add(1));
    await expect(session.callTool({ name: "nothing" })).rejects.toThrow("Unknown tool");
    const calls = (list: readonly Span[]): readonly Span[] =>
      list.filter(({ name }) => name === "tools/call");
    const [sent, received] = [calls(spans.client), calls(spans.server)];
    expect(received.map(({ traceId, parentId, failed }) => ({ traceId, parentId, failed }))).toEqual(
      sent.map(({ traceId, spanId, failed }) => ({ traceId, parentId: spanId, failed })),
    );
    expect(sent.map(({ failed }) => failed)).toEqual([false, true]);
  },
);
