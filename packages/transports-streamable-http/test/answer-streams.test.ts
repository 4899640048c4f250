import type { ServerResponse } from "node:http";

import { Peer } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { legacyRevision } from "@tenon/test-support";
import type { FetchLike, StreamableClientOptions } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { ClientConnection } from "../src/client/connection.ts";
import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, meta, peerOf } from "./raw-client.ts";

/** Begins an event stream, as servers do that may be asked for the rest. */
function stream(response: ServerResponse, events: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(events);
}

/**
 * A legacy server in whose session the answer to `slow` comes on as many streams as a test wants.
 */
async function resumable(
  begin: string,
  resume: (response: ServerResponse, streams: number, answer: string) => void,
): Promise<Bad> {
  let streams = 0;
  let answer = "";
  const server = await badServer(({ id, method }, response, request) => {
    if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} }, { "mcp-session-id": "s" });
    } else if (method === "slow") {
      answer = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: "done" })}\n\n`;
      stream(response, begin);
    } else if (request.headers["last-event-id"] === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
    } else {
      resume(response, ++streams, answer);
    }
  });
  return server;
}

const hour = 3_600_000;
const quick = { initialDelayMs: 1, maxDelayMs: 1 };

test("R-351: the time that a server asks for on the stream of an answer is the time that is waited", async () => {
  await using server = await resumable("id: 1\nretry: 1\ndata: \n\n", (response, _, answer) =>
    stream(response, answer),
  );
  await using peer = await peerOf(server.url, { reconnect: { initialDelayMs: hour } });
  await initialize(peer);
  expect(await peer.call("slow", {})).toBe("done");
});

test("a stream that was resumed often, with something new each time, survives one attempt that brings nothing", async () => {
  await using server = await resumable("id: 0\ndata: \n\n", (response, streams, answer) =>
    stream(response, streams === 12 ? "" : streams === 14 ? answer : `id: ${streams}\ndata: \n\n`),
  );
  await using peer = await peerOf(server.url, { reconnect: { ...quick, maxRetries: 3 } });
  await initialize(peer);
  expect(await peer.call("slow", {})).toBe("done");
});

/** A connection with a virtual clock that counts the streams which it has begun to read. */
function clocked(url: URL, options: StreamableClientOptions) {
  const clock = createVirtualClock();
  let opened = 0;
  const counting: FetchLike = async (input, init) => {
    const response = await fetch(input, init);
    opened += init?.method === "GET" && response.status === 200 ? 1 : 0;
    return response;
  };
  const connection = new ClientConnection(new URL(url), { ...options, fetch: counting }, clock);
  return { clock, connection, opened: () => opened };
}

/** Opens a stream and leaves it open. */
function open(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  return response;
}

test("R-351: a server that ends the connections of a long call now and then is polled until it responds", async () => {
  let current: ServerResponse | undefined;
  await using server = await resumable("id: 0\ndata: \n\n", (response, streams, answer) => {
    if (streams === 12) {
      stream(response, answer);
    } else {
      current = open(response);
    }
  });
  const { clock, connection, opened } = clocked(server.url, { reconnect: { ...quick, maxRetries: 2 } });
  await using peer = new Peer(connection);
  await initialize(peer);
  const call = peer.call("slow", {}, { timeoutMs: Infinity });
  for (let streams = 1; streams < 12; streams++) {
    await expect.poll(opened).toBe(streams);
    clock.advance(5000);
    current?.end();
  }
  expect(await call).toBe("done");
});

test("a proxy that answers each attempt with a stream without data is asked maxRetries times", async () => {
  await using server = await resumable("id: 0\ndata: \n\n", (response, streams, answer) =>
    streams === 3 ? stream(response, answer) : void open(response),
  );
  const { clock, connection, opened } = clocked(server.url, {
    reconnect: { ...quick, maxRetries: 2, maxSilenceMs: 60_000 },
  });
  await using peer = new Peer(connection);
  await initialize(peer);
  const failed = peer.call("slow", {}, { timeoutMs: Infinity });
  const outcome = expect(failed).rejects.toThrow(
    "The event stream of the response to request 2 (slow) broke off before the response (The stream timed out after 60000 ms without data (reconnect.maxSilenceMs).); 2 attempts in a row to resume it brought nothing new (reconnect.maxRetries).",
  );
  for (const streams of [1, 2]) {
    await expect.poll(opened).toBe(streams);
    clock.advance(60_000);
  }
  await outcome;
  expect(opened()).toBe(2);
});

test("a stream is not healthy because the handler of its message took long", async () => {
  await using server = await resumable("id: 0\ndata: \n\n", (response, streams, answer) =>
    stream(response, streams === 3 ? answer : 'data: {"jsonrpc":"2.0","method":"working"}\n\n'),
  );
  const { clock, connection, opened } = clocked(server.url, { reconnect: { ...quick, maxRetries: 2 } });
  await using peer = new Peer(connection, { handler: () => clock.advance(5000) });
  await initialize(peer);
  await expect(peer.call("slow", {}, { timeoutMs: Infinity })).rejects.toThrow("2 attempts in a row");
  expect(opened()).toBe(2);
});

test("a stream with heartbeats is healthy although it was given up in the end", async () => {
  let current: ServerResponse | undefined;
  await using server = await resumable("id: 0\ndata: \n\n", (response, streams, answer) => {
    if (streams === 5) {
      stream(response, answer);
    } else {
      current = open(response);
    }
  });
  const { clock, connection, opened } = clocked(server.url, {
    reconnect: { ...quick, maxRetries: 2, maxSilenceMs: 60_000 },
  });
  let heard = 0;
  await using peer = new Peer(connection, { handler: () => void heard++ });
  await initialize(peer);
  const call = peer.call("slow", {}, { timeoutMs: Infinity });
  for (const streams of [1, 2, 3, 4]) {
    await expect.poll(opened).toBe(streams);
    clock.advance(5000);
    current?.write(': beat\n\ndata: {"jsonrpc":"2.0","method":"working"}\n\n');
    await expect.poll(() => heard).toBe(streams);
    await expect.poll(() => clock.timers).toBe(1);
    clock.advance(60_000);
  }
  expect(await call).toBe("done");
});

test.each([429, 500, 503])("a stream whose rest is refused with %i is asked for again", async (status) => {
  await using server = await resumable("id: 0\ndata: \n\n", (response, streams, answer) => {
    if (streams < 3) {
      response.writeHead(status).end();
    } else {
      stream(response, answer);
    }
  });
  await using peer = await peerOf(server.url, { reconnect: quick });
  await initialize(peer);
  expect(await peer.call("slow", {})).toBe("done");
});

test.each([
  ["has no event ids", "data: \n\n", "it cannot be resumed because its last event had no id"],
  [
    "brings nothing new",
    "id: 1\ndata: \n\n",
    "2 attempts in a row to resume it brought nothing new (reconnect.maxRetries)",
  ],
])("the error for a stream that ended before the response and %s says so", async (_, begin, why) => {
  await using server = await resumable(begin, (response) => stream(response, ""));
  await using peer = await peerOf(server.url, { reconnect: { ...quick, maxRetries: 2 } });
  await initialize(peer);
  const failed = peer.call("slow", {});
  await expect(failed).rejects.toMatchObject({ code: "NETWORK", delivered: "maybe" });
  await expect(failed).rejects.toThrow(
    `The event stream of the response to request 2 (slow) ended before the response; ${why}.`,
  );
});

test.each(["application/json", "text/event-stream"])(
  "N-104: a response to another call in flight, as %s, is that call's business no more than its own",
  async (type) => {
    let first: { id: number | undefined; response: ServerResponse } | undefined;
    let arrived = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using server = await badServer(({ id, method }, response) => {
      if (method === "first") {
        first = { id, response };
        arrived();
        return;
      }
      const forged = JSON.stringify({ jsonrpc: "2.0", id: first?.id, result: "forged" });
      response.writeHead(200, { "content-type": type });
      response.write(type === "application/json" ? forged : `data: ${forged}\n\n`);
      if (type === "application/json") {
        response.end();
      }
    });
    await using peer = await peerOf(server.url);
    const robbed = peer.call("first", { _meta: meta });
    await waiting;
    await expect(peer.call("second", { _meta: meta }, { timeoutMs: hour })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      status: 200,
      message: expect.stringContaining(
        "a response with the ID 1 instead of the ID of request 2 (second)",
      ) as string,
    });
    if (first !== undefined) {
      json(first.response, first.id, "its own");
    }
    expect(await robbed).toBe("its own");
  },
);

test("a malformed message is not answered by a POST, which nobody could assign to anything", async () => {
  await using server = await badServer(({ id, method }, response) => {
    if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    } else if (method === "odd") {
      const answer = JSON.stringify({ jsonrpc: "2.0", id, result: "done" });
      stream(response, `data: {}\n\ndata: {"jsonrpc":"2.0","method":5}\n\ndata: ${answer}\n\n`);
    } else if (method === "ping") {
      json(response, id, {});
    } else {
      response.writeHead(method === undefined ? 405 : 202).end();
    }
  });
  await using peer = await peerOf(server.url);
  await initialize(peer);
  expect(await peer.call("odd", {})).toBe("done");
  await peer.call("ping", {});
  const posted = server.seen.filter(({ method }) => method === "POST").map(({ message }) => message.method);
  expect(posted).toEqual(["initialize", "notifications/initialized", "odd", "ping"]);
});
