import { legacyRevision } from "@tenon/test-support";
import {
  staticToken,
  type AuthProvider,
  type ListeningState,
} from "@tenon/transports-streamable-http/client";
import { describe, expect, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, peerOf } from "./raw-client.ts";

/** A legacy server that accepts every POST, and refuses every stream with a status. */
function streamless(status: number): Promise<Bad> {
  return badServer((message, response, { method }) => {
    if (method === "GET") {
      response.writeHead(status, { "www-authenticate": "Bearer" }).end();
    } else if (message.method === "initialize") {
      const result = { protocolVersion: legacyRevision, capabilities: {} };
      json(response, message.id, result, { "mcp-session-id": "session" });
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      json(response, message.id, {});
    }
  });
}

/** A provider that reports changes, of which there are none. */
const reporting: AuthProvider = { ...staticToken("t"), changed: () => () => {} };

describe.each([
  ["a token that never changes", staticToken("t")],
  ["a provider that reports changes", reporting],
])("a stream that is refused although calls are accepted, with %s", (_, auth) => {
  test.each([401, 403])("is given up with %i, as with 405", async (status) => {
    await using server = await streamless(status);
    const gets = (): number => server.seen.filter(({ method }) => method === "GET").length;
    let ended: ListeningState | undefined;
    await using peer = await peerOf(server.url, {
      auth,
      reconnect: { initialDelayMs: 1, maxDelayMs: 1 },
      onListening(state) {
        ended = state.state === "unsupported" ? state : undefined;
      },
    });
    await initialize(peer);
    await expect.poll(gets).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        await peer.call("tools/list", {});
        return ended;
      })
      .toEqual({ state: "unsupported", status });
    const asked = gets();
    for (let call = 0; call < 10; call++) {
      await peer.call("tools/list", {});
    }
    expect(gets()).toBe(asked);
  });
});

test("a stream that is refused while nothing is called is not given up", async () => {
  let isRefusing = true;
  await using server = await badServer((message, response, { method }) => {
    if (method === "GET" && isRefusing) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    } else if (method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      const result = { protocolVersion: legacyRevision, capabilities: {} };
      json(response, message.id, result, { "mcp-session-id": "session" });
    }
  });
  const states: ListeningState["state"][] = [];
  await using peer = await peerOf(server.url, {
    auth: staticToken("t"),
    reconnect: { initialDelayMs: 1, maxDelayMs: 1 },
    onListening: ({ state }) => states.push(state),
  });
  await initialize(peer);
  await expect.poll(() => states.filter((state) => state === "waiting").length).toBeGreaterThan(3);
  isRefusing = false;
  await expect.poll(() => states.at(-1)).toBe("open");
});
