import type { ServerResponse } from "node:http";

import { legacyRevision } from "@tenon/test-support";
import { expect, test, vi } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, peerOf } from "./raw-client.ts";

type Stream = (response: ServerResponse) => void;

const opened = (response: ServerResponse, event: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(event);
};
const ends: Stream = (response) => {
  opened(response, ": open\n\n");
  response.end();
};
const endsAfterEvent: Stream = (response) => {
  opened(response, "id: e1\ndata: \n\n");
  response.end();
};
const breaks: Stream = (response) => {
  opened(response, ": open\n\n");
  setImmediate(() => response.destroy());
};
const breaksAfterEvent: Stream = (response) => {
  opened(response, "id: e1\ndata: \n\n");
  setImmediate(() => response.destroy());
};
const stays: Stream = (response) => opened(response, ": open\n\n");
const fails: Stream = (response) => response.writeHead(503).end();
const forgotEvents: Stream = (response) => response.writeHead(400).end();

/** A legacy server that announces changes, with a standalone stream for each request. */
function streaming(streams: readonly Stream[]): Promise<Bad> {
  let count = 0;
  return badServer((message, response, { method }) => {
    if (method === "GET") {
      (streams[count++] ?? stays)(response);
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      json(response, message.id, {
        protocolVersion: legacyRevision,
        capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
      });
    }
  });
}

test.each([
  ["ends regularly", [ends, ends, ends, ends, stays], 0],
  ["continues after its last event", [endsAfterEvent, breaksAfterEvent, breaksAfterEvent, stays], 0],
  ["breaks", [breaks, stays], 1],
  ["is refused at first", [fails, stays], 1],
  ["is refused several times at first", [fails, fails, fails, stays], 1],
  // Once when the server seems to be gone, and once when it is back.
  ["cannot be reopened at once", [ends, fails, stays], 2],
  ["continues after a failed attempt", [endsAfterEvent, fails, stays], 2],
  ["cannot continue after its last event", [endsAfterEvent, forgotEvents, stays], 1],
] as const)(
  "the lists may have changed behind a standalone stream only if it has a gap: it %s",
  async (_, streams, changes) => {
    const heard: string[] = [];
    await using server = await streaming(streams);
    const reconnect = { initialDelayMs: 1, maxDelayMs: 1 };
    await using peer = await peerOf(server.url, { reconnect }, (method) => heard.push(method));
    const open = (): number => server.seen.filter(({ method }) => method === "GET").length;
    await initialize(peer);
    await vi.waitFor(() => expect(open()).toBe(streams.length), { interval: 5 });
    // The notification comes when the response has arrived.
    await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(changes), { interval: 5 });
    await peer.call("ping", {});
    expect(heard).toEqual(Array.from({ length: changes }, () => "notifications/tools/list_changed"));
  },
);

test("resources that are subscribed to may have changed behind a gap, when the server is back", async () => {
  const heard: string[] = [];
  let first: ServerResponse | undefined;
  const waits: Stream = (response) => {
    first = response;
    stays(response);
  };
  await using server = await streaming([waits, fails, stays]);
  const reconnect = { initialDelayMs: 1, maxDelayMs: 1 };
  await using peer = await peerOf(server.url, { reconnect }, (method) => heard.push(method));
  await initialize(peer);
  await peer.call("resources/subscribe", { uri: "notes://1" });
  await peer.call("resources/subscribe", { uri: "notes://2" });
  await peer.call("resources/unsubscribe", { uri: "notes://2" });
  await vi.waitFor(() => expect(first).toBeDefined(), { interval: 5 });
  first?.end();
  const lists = "notifications/tools/list_changed";
  await vi.waitFor(() => expect(heard).toHaveLength(3), { interval: 5 });
  await peer.call("ping", {});
  expect(heard).toEqual([lists, lists, "notifications/resources/updated"]);
});
