import type { ServerResponse } from "node:http";

import { legacyRevision } from "@tenon/test-support";
import type { AuthProvider, ListeningState } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, peerOf } from "./raw-client.ts";

/** A provider that sends one token, and reports when it has another. */
function changing(): AuthProvider & { set(token: string): void; readonly listeners: number } {
  let token = "old";
  const listeners = new Set<() => void>();
  return {
    headers: () => ({ authorization: `Bearer ${token}` }),
    changed(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(next) {
      token = next;
      listeners.forEach((listener) => listener());
    },
    get listeners() {
      return listeners.size;
    },
  };
}

/** A legacy server that accepts POSTs, and decides about streams by the test. */
function streaming(
  get: (response: ServerResponse, token: string, lastEventId: string | undefined) => void,
  answer: (response: ServerResponse, id: number | undefined) => void = (response, id) =>
    json(response, id, {}),
): Promise<Bad> {
  return badServer((message, response, { method, headers }) => {
    if (method === "GET") {
      get(response, String(headers.authorization), headers["last-event-id"] as string | undefined);
    } else if (message.method === "initialize") {
      const result = { protocolVersion: legacyRevision, capabilities: {} };
      json(response, message.id, result, { "mcp-session-id": "session" });
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      answer(response, message.id);
    }
  });
}

function event(id: string, method: string): string {
  return `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: "2.0", method })}\n\n`;
}

const events = { "content-type": "text/event-stream" };

/** Streams end at once, and are asked for again at once. */
const soon = { initialDelayMs: 1 };

test.each([
  [401, {}],
  [403, { "www-authenticate": 'Bearer error="insufficient_scope"' }],
])(
  "a listening stream refused with %i waits for new credentials, and resumes from its last event",
  async (status, headers) => {
    const asked: unknown[] = [];
    await using server = await streaming((response, token, lastEventId) => {
      asked.push([token, lastEventId]);
      if (asked.length === 1) {
        response.writeHead(200, events).end(event("7", "notifications/first"));
      } else if (token === "Bearer new") {
        response.writeHead(200, events).write(event("8", "notifications/second"));
      } else {
        response.writeHead(status, headers).end();
      }
    });
    const auth = changing();
    const states: ListeningState[] = [];
    let arrive = (): void => {};
    const second = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let wait = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      wait = resolve;
    });
    await using peer = await peerOf(
      server.url,
      {
        auth,
        reconnect: soon,
        onListening(state) {
          states.push(state);
          if (state.state === "waiting" && state.delayMs === Infinity) {
            wait();
          }
        },
      },
      (method) => method === "notifications/second" && arrive(),
    );
    await initialize(peer);
    await waiting;
    auth.set("new");
    await second;
    expect(asked).toEqual([
      ["Bearer old", undefined],
      ["Bearer old", "7"],
      ["Bearer new", "7"],
    ]);
    expect(states.at(-1)).toEqual({ state: "open" });
    await peer.close();
    expect(auth.listeners).toBe(0);
  },
);

test("a listening stream whose provider has no credentials waits for them", async () => {
  const asked: unknown[] = [];
  await using server = await streaming((response, token) => {
    asked.push(token);
    response.writeHead(200, events).write(event("1", "notifications/first"));
  });
  const inner = changing();
  let locked = false;
  const auth: AuthProvider = {
    ...inner,
    headers(request) {
      if (locked && request.method === "GET") {
        throw Object.assign(new Error("log in first"), { code: "NEEDS_USER", status: 401 });
      }
      return inner.headers(request);
    },
  };
  let wait = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    wait = resolve;
  });
  let arrive = (): void => {};
  const first = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  locked = true;
  await using peer = await peerOf(
    server.url,
    { auth, onListening: (state) => state.state === "waiting" && state.delayMs === Infinity && wait() },
    () => arrive(),
  );
  await initialize(peer);
  await waiting;
  expect(asked).toEqual([]);
  locked = false;
  inner.set("new");
  await first;
  expect(asked).toEqual(["Bearer new"]);
});

test.each([
  ["without a provider", undefined, 401, {}],
  ["with a provider and 403 without a challenge", changing(), 403, {}],
])("a listening stream that is refused %s is not asked for again", async (_, auth, status, headers) => {
  await using server = await streaming((response) => response.writeHead(status, headers).end());
  let end: (state: ListeningState) => void = () => {};
  const ended = new Promise<ListeningState>((resolve) => {
    end = resolve;
  });
  await using peer = await peerOf(server.url, {
    auth,
    onListening: (state) => state.state !== "connecting" && end(state),
  });
  await initialize(peer);
  expect(await ended).toEqual({ state: "unsupported", status });
  expect(auth?.listeners ?? 0).toBe(0);
});

test("the stream of a response that is refused for its credentials is resumed when they have changed", async () => {
  const asked: unknown[] = [];
  let request: number | undefined;
  let refuse = (): void => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await using server = await streaming(
    (response, token, lastEventId) => {
      if (lastEventId === undefined) {
        response.writeHead(405).end();
        return;
      }
      asked.push([token, lastEventId]);
      if (token === "Bearer new") {
        const answer = JSON.stringify({ jsonrpc: "2.0", id: request, result: "done" });
        response.writeHead(200, events).end(`id: 4\ndata: ${answer}\n\n`);
      } else {
        response.writeHead(401).end(() => refuse());
      }
    },
    (response, id) => {
      request = id;
      response.writeHead(200, events).end("id: 3\ndata:\n\n");
    },
  );
  const auth = changing();
  await using peer = await peerOf(server.url, { auth, reconnect: soon });
  await initialize(peer);
  const call = peer.call("tools/list", {});
  await refused;
  // The client has seen the refusal, and waits.
  await expect.poll(() => auth.listeners).toBe(1);
  auth.set("new");
  expect(await call).toBe("done");
  expect(asked.at(-1)).toEqual(["Bearer new", "3"]);
});
