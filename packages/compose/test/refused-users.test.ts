import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import type { CallRelay, LaneCaller } from "@tenon/host";
import { Client, type ServerRequest } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { connectedSource } from "../src/source/connected-source.ts";

/** More users than one check asks. */
const refusedUsers = 9;

test("a user who missed a list is notified, however many users the server refuses", async () => {
  const state = { isRefusing: false, isFailing: false, sessions: 0 };
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body || "{}") as { readonly id?: number; readonly method?: string };
      const user = Number(request.headers["mcp-session-id"]);
      const answer = (result: object, headers: object = {}): void => {
        response.writeHead(200, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      };
      if (method === "initialize") {
        const serverInfo = { name: "old", version: "1" };
        const result = { protocolVersion: legacyRevision, capabilities: { tools: {} }, serverInfo };
        answer(result, { "mcp-session-id": String(state.sessions++) });
      } else if (state.isRefusing && user < refusedUsers) {
        response.writeHead(403).end();
      } else if (method === "tools/list" && state.isFailing) {
        response.writeHead(503).end();
      } else if (method === "ping") {
        answer({});
      } else {
        response.writeHead(request.method === "POST" ? 202 : 405).end();
      }
    });
  });
  const port = await listenOnFreePort(http);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  let present: LaneCaller | undefined;
  const source = connectedSource({
    relay: { callerOf: () => present } as unknown as CallRelay,
    connect: () =>
      new Client({ name: "proxy", version: "1.0.0" }, { revisions: [legacyRevision] }).connect(
        new StreamableClientTransport(`http://127.0.0.1:${port}/mcp`),
      ),
  });
  onTestFinished(() => source[Symbol.asyncDispose]());
  const notified = deferred<unknown>();
  source.onListChange?.((_, audience) => notified.resolve(audience?.key));
  await source.start();
  for (let user = 0; user <= refusedUsers; user++) {
    present = { key: user, session: undefined, inputs: {}, asks: "never" };
    await source.lanes.view(present, new AbortController().signal);
  }
  Object.assign(state, { isRefusing: true, isFailing: true });
  await expect(source.list("tools", {} as ServerRequest)).rejects.toMatchObject({ status: 503 });
  expect(await notified.promise).toBe(refusedUsers);
});
