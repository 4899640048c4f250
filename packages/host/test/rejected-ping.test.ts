import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { Lanes, type Lane } from "@tenon/host";
import { Client } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";
import { deferred, legacyRevision } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

const caller = { key: "a", session: undefined, inputs: {}, asks: "requests" } as const;

/** The connections to a legacy server that rejects a ping, with a call that runs. */
async function calling(): Promise<{
  readonly lanes: Lanes;
  readonly lane: Lane;
  readonly call: Promise<CallToolResult>;
  readonly finish: () => void;
}> {
  const called = deferred();
  let finish = (): void => {};
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body || "{}") as { readonly id?: number; readonly method?: string };
      const send = (answer: object): void => {
        const message = JSON.stringify({ jsonrpc: "2.0", id, ...answer });
        response.writeHead(200, { "content-type": "application/json" }).end(message);
      };
      if (request.method !== "POST") {
        response.writeHead(405).end();
      } else if (id === undefined) {
        response.writeHead(202).end();
      } else if (method === "initialize") {
        const serverInfo = { name: "old", version: "1" };
        send({ result: { protocolVersion: legacyRevision, capabilities: { tools: {} }, serverInfo } });
      } else if (method === "tools/call") {
        finish = () => send({ result: { content: [{ type: "text", text: "done" }] } });
        called.resolve();
      } else {
        send({ error: { code: method === "ping" ? -32_602 : -32_601, message: "Rejected." } });
      }
    });
  });
  const port = await listenOnFreePort(http);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const lanes = new Lanes({
    name: "old",
    connect: () =>
      new Client({ name: "proxy", version: "1.0.0" }).connect(
        new StreamableClientTransport(`http://127.0.0.1:${port}/mcp`),
      ),
  });
  onTestFinished(() => lanes.close());
  const { lane } = await lanes.acquire(caller, new AbortController().signal, undefined);
  const call = lane.passing(() => lane.session.callTool({ name: "x" }));
  await called.promise;
  return { lanes, lane, call, finish: () => finish() };
}

test("a legacy server that rejects a check, as a modern one would, keeps its running calls", async () => {
  const { lanes, call, finish } = await calling();
  expect(await lanes.recover()).toBe(true);
  // A caller with a session has one connection at a time.
  const { lane: next } = await lanes.acquire(caller, new AbortController().signal, undefined);
  expect(next.isOpen).toBe(true);
  finish();
  expect((await call).content).toEqual([{ type: "text", text: "done" }]);
});

test("a connection that was given up because of a rejected check ends with the others", async () => {
  const { lanes, lane, call } = await calling();
  await lanes.recover();
  const ended = expect(call).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await lanes.close();
  await ended;
  expect(lane.session.isClosed).toBe(true);
});

test("a connection that was given up ends with its caller, and so does the call on it", async () => {
  const { lanes, lane, call } = await calling();
  await lanes.recover();
  const ended = expect(call).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await lanes.drop({ key: "someone else" });
  expect(lane.session.isClosed).toBe(false);
  await lanes.drop(caller);
  await ended;
  expect(lane.session.isClosed).toBe(true);
});
