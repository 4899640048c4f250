import { once } from "node:events";
import { connect, constants, createServer, type ClientHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

import { Server } from "@tenon/mcp";
import { createNodeListener } from "@tenon/node";
import { legacyRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

/** Calls a tool of a server over HTTP/2. */
async function call(server: Server, tool: string): Promise<ClientHttp2Stream> {
  const handler = createStreamableHandler({ getServer: () => server });
  // It has the requests of node:http.
  const listener = createNodeListener(handler) as unknown as Parameters<typeof createServer>[1];
  const http = createServer(listener);
  http.listen(0, "localhost");
  await once(http, "listening");
  const client = connect(`http://localhost:${(http.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    http.close();
  });
  const stream = client.request({
    ":method": "POST",
    ":path": "/mcp",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": legacyRevision,
  });
  const params = { name: tool };
  stream.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  return stream;
}

test("a client over HTTP/2 is served under the name of its authority, and the tool sees its headers", async () => {
  const server = new Server({ name: "test", version: "1.0.0" });
  server.addTool({ name: "names" }, (_, { http }) => [...(http?.headers ?? [])].map(([name]) => name).join());
  const stream = await call(server, "names");
  const [headers] = (await once(stream, "response")) as [{ ":status": number }];
  const body = (await stream.setEncoding("utf8").toArray()).join("");
  expect(headers[":status"]).toBe(200);
  expect(JSON.parse(body)).toMatchObject({
    result: { content: [{ text: "content-type,accept,mcp-protocol-version" }] },
  });
});

test("a client over HTTP/2 that ends its stream cancels its call", async () => {
  const server = new Server({ name: "test", version: "1.0.0" });
  let started = (): void => {};
  const isRunning = new Promise<void>((resolve) => {
    started = resolve;
  });
  const isCancelled = new Promise((resolve) => {
    server.addTool({ name: "wait" }, async (_, { signal }) => {
      started();
      resolve(await once(signal, "abort"));
      return "cancelled";
    });
  });
  const stream = await call(server, "wait");
  await isRunning;
  stream.close(constants.NGHTTP2_CANCEL);
  await isCancelled;
});
