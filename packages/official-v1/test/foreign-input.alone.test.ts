import { PassThrough } from "node:stream";

import { modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";
import { z } from "zod";

import { Server } from "../src/entry/server/index.ts";
import { StdioServerTransport } from "../src/entry/server/stdio.ts";
import { WebStandardStreamableHTTPServerTransport } from "../src/entry/server/webStandardStreamableHttp.ts";
import { undeclared, undeclaredIn } from "../src/server/capabilities.ts";
import type { Internals } from "../src/shared/internals.ts";
import { takeOver } from "../src/shared/task-messages.ts";

const info = { name: "server", version: "1.0.0" };

/** Sends a modern request over HTTP without sessions. */
async function ask(server: Server, method: string): Promise<unknown> {
  const transport = new WebStandardStreamableHTTPServerTransport();
  await server.connect(transport);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": modernRevision,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await transport.handleRequest(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": modernRevision,
        "mcp-method": method,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta } }),
    }),
  );
  const text = await response.text();
  await server.close();
  const { result, error } = JSON.parse(
    text.startsWith("{") ? text : text.slice(text.lastIndexOf("data:") + 5),
  ) as { result?: unknown; error?: { code: number } };
  return result ?? error?.code;
}

test("methods of a program are handled in the newest revision, however many others strangers have invented", async () => {
  const server = new Server(info, { capabilities: {} });
  const schema = z.object({ method: z.literal("mine/method") });
  server.setRequestHandler(schema as never, () => ({ mine: 1 }));
  expect(await ask(server, "mine/other")).toBe(-32601);
  server.fallbackRequestHandler = ({ method }) => Promise.resolve({ fallback: method });
  for (let count = 0; count < 1010; count++) {
    await ask(server, `junk/${count}`);
  }
  expect(await ask(server, "junk/1")).toMatchObject({ fallback: "junk/1" });
  expect(await ask(server, "mine/method")).toMatchObject({ mine: 1 });
});

test("only the whole messages of the official server stand for a capability that the client lacks", () => {
  expect(undeclared("Client does not support sampling (required for sampling/createMessage)")?.data).toEqual({
    requiredCapabilities: { sampling: {} },
  });
  expect(undeclared("Client does not support form elicitation.")?.code).toBe(-32021);
  for (const text of ["Client does not support sampling rates below 8 kHz", "Client does not support x", 5]) {
    expect(undeclared(text)).toBeUndefined();
    expect(undeclaredIn({ isError: true, content: [{ type: "text", text }] })).toBeUndefined();
  }
});

test("a response without an id settles no request of the official code", () => {
  const settled: unknown[] = [];
  const official = {
    _responseHandlers: new Map([[0, () => {}]]),
    _progressHandlers: new Map(),
    _onresponse: (response: unknown) => void settled.push(response),
  } as unknown as Internals;
  const error = { code: -32700, message: "Parse error" };
  for (const id of [null, ""]) {
    expect(takeOver(official, { jsonrpc: "2.0", id, error } as never)).toBe(false);
  }
  expect(takeOver(official, { jsonrpc: "2.0", id: "0", error })).toBe(true);
  expect(settled).toHaveLength(1);
});

test("a closed transport over stdio leaves nothing on the stream, and does not close again", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let closes = 0;
  for (let count = 0; count < 3; count++) {
    const server = new Server(info, { capabilities: {} });
    server.onclose = () => void closes++;
    await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: 100 }));
    await server.close();
  }
  expect(stdin.listenerCount("data")).toBe(0);
  stdin.write("x".repeat(200));
  expect(closes).toBe(3);
});
