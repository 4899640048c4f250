import type { IncomingMessage, ServerResponse } from "node:http";

import type { Peer } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import type { ListeningState, StreamableClientOptions } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, peerOf } from "./raw-client.ts";

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const said = { code: -32000, message: "Bad Request: No valid session ID provided" };

/** How servers refuse a session that they do not know. */
const refusals: Readonly<Record<string, Refusal>> = {
  "400 and the id null": {
    status: 400,
    type: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", error: said, id: null }),
  },
  "400 and an id of its own": {
    status: 400,
    type: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", error: said, id: "server-error" }),
  },
  "400 and plain text": { status: 400, type: "text/plain", body: said.message },
  "400 and nothing": { status: 400, type: "text/plain", body: "" },
  "404 and an id of its own": {
    status: 404,
    type: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", error: said, id: "server-error" }),
  },
};

interface Forgetful extends Bad {
  /** Forgets all sessions. */
  forget(): void;
  readonly sessions: () => number;
}

/** A legacy server that can forget its sessions, and says so by `refusal`. */
async function forgetful(
  { status, type, body }: Refusal,
  answer: (response: ServerResponse, message: { id?: number; method?: string }) => void = (
    response,
    message,
  ) => json(response, message.id, { method: message.method }),
  get: (response: ServerResponse, request: IncomingMessage) => void = (response) =>
    response.writeHead(405).end(),
): Promise<Forgetful> {
  const sessions = new Set<string>();
  let opened = 0;
  const server = await badServer((message, response, request) => {
    if (message.method === "initialize") {
      const session = `session-${++opened}`;
      sessions.add(session);
      json(
        response,
        message.id,
        { protocolVersion: legacyRevision, capabilities: {} },
        { "mcp-session-id": session },
      );
    } else if (!sessions.has(String(request.headers["mcp-session-id"]))) {
      response.writeHead(status, { "content-type": type }).end(body);
    } else if (request.method === "GET") {
      get(response, request);
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else if (message.method === "ping") {
      json(response, message.id, {});
    } else {
      answer(response, message);
    }
  });
  return { ...server, forget: () => sessions.clear(), sessions: () => opened };
}

async function open(server: Bad, options: StreamableClientOptions = {}): Promise<Peer> {
  const peer = await peerOf(server.url, options);
  await initialize(peer);
  return peer;
}

test.each(Object.entries(refusals))(
  "R-365, T-41: a session that a server has lost, and refuses with %s, is opened anew once",
  async (_, refusal) => {
    await using server = await forgetful(refusal);
    let restored = 0;
    await using peer = await open(server, { onSessionRestored: () => restored++ });
    server.forget();
    const answers = await Promise.all([peer.call("tools/list", {}), peer.call("prompts/list", {})]);
    expect(answers).toEqual([{ method: "tools/list" }, { method: "prompts/list" }]);
    expect([restored, server.sessions()]).toEqual([1, 2]);
    server.forget();
    // The refused request has not run, so it is sent again whatever the tool does.
    expect(await peer.call("tools/call", { name: "pay" })).toEqual({ method: "tools/call" });
    expect(server.sessions()).toBe(3);
  },
);

test.each(["400 and an id of its own", "400 and plain text"])(
  "T-41: a request refused with %s in a session that is alive is the request's own failure",
  async (name) => {
    const refusal = refusals[name] as Refusal;
    await using server = await forgetful(refusal, (response) =>
      response.writeHead(refusal.status, { "content-type": refusal.type }).end(refusal.body),
    );
    await using peer = await open(server);
    const failed = peer.call("tools/list", {});
    await expect(failed).rejects.toMatchObject({ code: "STATUS", status: 400 });
    await expect(failed).rejects.toThrow("No valid session ID provided");
    expect(server.sessions()).toBe(1);
  },
);

test("T-39, T-41: an error without an id in a session that is alive answers the request", async () => {
  const refusal = refusals["400 and the id null"] as Refusal;
  await using server = await forgetful(refusal, (response) =>
    response.writeHead(400, { "content-type": refusal.type }).end(refusal.body),
  );
  await using peer = await open(server);
  await expect(peer.call("tools/list", {})).rejects.toMatchObject(said);
  expect(server.sessions()).toBe(1);
});

test("T-41: a session that was lost is found out by its listening stream, though no request is sent", async () => {
  let cut: ServerResponse | undefined;
  await using server = await forgetful(refusals["400 and the id null"] as Refusal, undefined, (response) => {
    cut = response;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
  });
  const states: ListeningState[] = [];
  let restored = (): void => {};
  const again = new Promise<void>((resolve) => {
    restored = resolve;
  });
  await using _peer = await open(server, {
    reconnect: { initialDelayMs: 1 },
    onListening: (state) => states.push(state),
    onSessionRestored: restored,
  });
  server.forget();
  cut?.destroy();
  await again;
  expect(server.sessions()).toBe(2);
  expect(states.at(-1)).toEqual({ state: "open" });
});

test("a server that refuses to open another session says why", async () => {
  let isOpen = false;
  await using server = await badServer((message, response, request) => {
    if (message.method === "initialize" && !isOpen) {
      isOpen = true;
      json(
        response,
        message.id,
        { protocolVersion: legacyRevision, capabilities: {} },
        { "mcp-session-id": "s" },
      );
    } else if (message.method === "initialize") {
      response.writeHead(200, { "content-type": "application/json" });
      const error = { code: -32000, message: "too many sessions" };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: (message as { id?: unknown }).id, error }));
    } else if (message.id === undefined) {
      response.writeHead(request.method === "GET" ? 405 : 202).end();
    } else {
      response.writeHead(404).end();
    }
  });
  await using peer = await open(server);
  await expect(peer.call("tools/list", {})).rejects.toMatchObject({
    code: "SESSION_LOST",
    cause: { message: "The server refused to open a new session: too many sessions (-32000)." },
  });
});

test("R-366: a session that was opened in place of a lost one is ended if the client closes meanwhile", async () => {
  let opened = 0;
  let held = (): void => {};
  const holding = new Promise<void>((resolve) => {
    held = resolve;
  });
  await using server = await badServer((message, response, request) => {
    const session = request.headers["mcp-session-id"];
    if (message.method === "initialize") {
      const headers = { "mcp-session-id": `session-${++opened}` };
      json(response, message.id, { protocolVersion: legacyRevision, capabilities: {} }, headers);
    } else if (message.method === "notifications/initialized" && session === "session-2") {
      // No response: the client is in the middle of the handshake.
      held();
    } else if (message.id === undefined) {
      response.writeHead(request.method === "GET" ? 405 : 202).end();
    } else {
      response.writeHead(404).end();
    }
  });
  const peer = await open(server);
  const lost = peer.call("tools/list", {}).catch((error: unknown) => error);
  await holding;
  await peer.close();
  await lost;
  const ended = server.seen.filter(({ method }) => method === "DELETE");
  expect(ended.map(({ headers }) => headers["mcp-session-id"])).toContain("session-2");
});
