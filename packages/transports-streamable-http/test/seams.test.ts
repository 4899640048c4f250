import { Peer } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import {
  createMemoryEventStore,
  createStreamableHandler,
  StreamableServerTransport,
  type EventStore,
  type ServeContext,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";

function posted(method: string, id: number, headers: Record<string, string> = {}): Request {
  const params = { protocolVersion: legacyRevision, capabilities: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return new Request(url, { method: "POST", headers: { ...common, ...headers }, body });
}

/** A store that fails while it is told to. */
function failingStore(): EventStore & { fails: boolean } {
  const memory = createMemoryEventStore();
  const store = {
    ...memory,
    fails: false,
    append: (...event: Parameters<EventStore["append"]>) => {
      if (store.fails) {
        throw new Error("the store is down");
      }
      return memory.append(...event);
    },
  };
  return store;
}

test("a message that the store did not take arrives when its stream is resumed", async () => {
  const eventStore = failingStore();
  const transport = new StreamableServerTransport({ eventStore, onError: () => {} });
  const peer = new Peer(await transport.connect(), { handler: () => ({ protocolVersion: legacyRevision }) });
  await (await transport.fetch(posted("initialize", 0))).text();
  const headers = { accept: "text/event-stream", "mcp-session-id": transport.sessionId };
  const lost = await transport.fetch(new Request(url, { headers }));
  const reader = lost.body?.getReader();
  const primed = new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  await peer.notify("kept");
  eventStore.fails = true;
  await peer.notify("held");
  eventStore.fails = false;
  const lastEventId = /id: (\S+)/.exec(primed)?.[1] ?? "";
  const resumed = await transport.fetch(
    new Request(url, { headers: { ...headers, "last-event-id": lastEventId } }),
  );
  const more = resumed.body?.getReader();
  let text = "";
  while (!text.includes('"held"')) {
    text += new TextDecoder().decode((await more?.read())?.value);
  }
  expect(text.indexOf('"kept"')).toBeGreaterThan(0);
  await peer.close();
});

test("the stream of an answer is not closed for a client that could not come back for it", async () => {
  const eventStore = failingStore();
  const handler = createStreamableHandler({
    onError: () => {},
    sessions: { eventStore },
    getServer: () =>
      peerServer(async (scope) => {
        scope.extra?.http?.closeStream?.();
        await new Promise(setImmediate);
        return "done";
      }),
  });
  const opened = await handler.fetch(posted("initialize", 0));
  await opened.text();
  eventStore.fails = true;
  const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const answer = await handler.fetch(posted("work", 1, headers));
  expect(await answer.text()).toContain('"result":"done"');
  await handler.close();
});

test("a session whose server throws at once instead of rejecting is over", async () => {
  const opened: string[] = [];
  const closed: string[] = [];
  const server = {
    ...peerServer(echo),
    connect: () => {
      throw new Error("not today");
    },
  };
  const handler = createStreamableHandler({
    onError: () => {},
    sessions: {
      onSessionOpened: ({ id }) => opened.push(id),
      onSessionClosed: ({ id }) => closed.push(id),
    },
    getServer: () => server,
  });
  expect((await handler.fetch(posted("initialize", 0))).status).toBe(500);
  expect(opened).toHaveLength(1);
  expect(closed).toEqual(opened);
  await handler.close();
});

test("a preflight is answered while the handler is closed, so that the page can read the refusal", async () => {
  const handler = createStreamableHandler({ getServer: () => peerServer(echo) });
  await handler.close();
  const headers = { origin: "http://localhost:3000", "access-control-request-method": "POST" };
  const preflight = await handler.fetch(new Request(url, { method: "OPTIONS", headers }));
  expect(preflight.status).toBe(204);
  expect((await handler.fetch(posted("ping", 1))).status).toBe(503);
});

test("R-793: a session is not opened for an identity that names nobody", async () => {
  const errors: unknown[] = [];
  const transport = new StreamableServerTransport({ onError: (error) => errors.push(error) });
  const auth = { sub: "alice" } as unknown as ServeContext["auth"];
  expect((await transport.fetch(posted("initialize", 0), { auth })).status).toBe(500);
  expect(errors).toMatchObject([{ message: expect.stringContaining("principal") as string }]);
  await transport.close();
});
