import type { ServerResponse } from "node:http";

import { Peer } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { legacyRevision } from "@tenon/test-support";
import type { ListeningState } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { ClientConnection } from "../src/client/connection.ts";
import { Rhythm } from "../src/client/silence.ts";
import { badServer, json } from "./bad-server.ts";
import { initialize, meta } from "./raw-client.ts";

const news = 'data: {"jsonrpc":"2.0","method":"news"}\n\n';

/**
 * A legacy server with a listening stream that a test writes to, and a client with a clock of its
 * own.
 */
async function listening() {
  const clock = createVirtualClock();
  let stream: ServerResponse | undefined;
  let gets = 0;
  const server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET" || method === "watch") {
      gets++;
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
    } else if (id === undefined) {
      response.writeHead(202).end();
    } else {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    }
  });
  const states: ListeningState[] = [];
  const options = { eras: false, onListening: (state: ListeningState) => states.push(state) } as const;
  const connection = new ClientConnection(server.url, options, clock);
  let heard = 0;
  const peer = new Peer(connection, { handler: () => void heard++ });
  return {
    clock,
    states,
    peer,
    gets: () => gets,
    end: () => void stream?.end(),
    /**
     * Lets time pass and the server write; resolves when the client has taken it, and waits again.
     */
    async write(text: string, afterMs: number, timers: number): Promise<void> {
      const before = heard;
      clock.advance(afterMs);
      stream?.write(text + news);
      await expect.poll(() => heard).toBe(before + 1);
      await expect.poll(() => clock.timers).toBe(timers);
    },
    async [Symbol.asyncDispose]() {
      await peer.close({ drainMs: 0 });
      await server[Symbol.asyncDispose]();
    },
  };
}

test("T-057: by default a listening stream is taken for lost after three of the heartbeats that are known to come", async () => {
  await using client = await listening();
  await initialize(client.peer);
  await client.write(": beat\n\n", 20_000, 0);
  client.clock.advance(3_600_000);
  expect(client.states.map(({ state }) => state)).toEqual(["connecting", "open"]);
  await client.write(": beat\n\n", 20_000, 1);
  await client.write(": beat\n\n", 20_000, 1);
  client.clock.advance(60_000);
  await expect.poll(() => client.gets()).toBe(2);
  expect(client.states).toContainEqual(
    expect.objectContaining({
      state: "waiting",
      error: expect.objectContaining({ code: "NETWORK" }) as Error,
    }),
  );
});

test("T-057: a listening stream that stays open for 5 s is no failed attempt, and one that ends at once is", async () => {
  await using client = await listening();
  await initialize(client.peer);
  const opened = (): number => client.states.filter(({ state }) => state === "open").length;
  for (const [stream, openMs] of [5000, 0].entries()) {
    await expect.poll(opened).toBe(stream + 1);
    client.clock.advance(openMs);
    client.end();
  }
  await expect.poll(opened).toBe(3);
  const attempts = client.states.filter(({ state }) => state === "waiting");
  expect(attempts).toMatchObject([{ attempt: 0 }, { attempt: 1 }]);
});

test("T-057: by default the stream of an answer is taken for lost after three heartbeats too", async () => {
  await using client = await listening();
  const call = client.peer.call("watch", { _meta: meta }, { timeoutMs: Infinity });
  const lost = expect(call).rejects.toMatchObject({
    code: "NETWORK",
    message: expect.stringContaining(
      "The stream timed out after 60000 ms without data (reconnect.maxSilenceMs)",
    ) as string,
  });
  await expect.poll(() => client.gets()).toBe(1);
  await client.write("", 0, 0);
  await client.write(": beat\n\n", 20_000, 0);
  await client.write(": beat\n\n", 20_000, 1);
  client.clock.advance(59_999);
  expect(client.clock.timers).toBe(1);
  client.clock.advance(1);
  await lost;
});

test("R-352: the streams of responses that a server keeps open cost no connection each", async () => {
  const clock = createVirtualClock();
  const streams: ServerResponse[] = [];
  let closed = 0;
  await using server = await badServer(({ id }, response) => {
    const answer = { jsonrpc: "2.0", id, result: {} };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(answer)}\n\n`);
    streams.push(response.on("close", () => closed++));
  });
  let heard = 0;
  const connection = new ClientConnection(server.url, { eras: false }, clock);
  await using peer = new Peer(connection, { handler: () => void heard++ });
  for (const method of ["first", "second", "third"]) {
    await peer.call(method, { _meta: meta });
  }
  await expect.poll(() => clock.timers).toBe(3);
  clock.advance(999);
  streams[0]?.write(news);
  await expect.poll(() => heard).toBe(1);
  clock.advance(1);
  await expect.poll(() => closed).toBe(2);
  clock.advance(1000);
  await expect.poll(() => closed).toBe(3);
});

test("T-057: the interval of heartbeats is known although events come between them", async () => {
  await using client = await listening();
  await initialize(client.peer);
  for (const [event, beat] of [
    [0, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    await client.write("", 58_000, event);
    await client.write(": beat\n\n", 2000, beat);
  }
  client.clock.advance(179_999);
  expect(client.states.map(({ state }) => state)).toEqual(["connecting", "open"]);
  client.clock.advance(1);
  await expect.poll(() => client.gets()).toBe(2);
});

test.each([
  ["no comment", [], undefined],
  ["one comment", [15_000], undefined],
  ["comments that come at once", [0, 0, 10, 999], undefined],
  ["a heartbeat every five seconds", [5000, 5000], 45_000],
  ["a heartbeat every fifteen seconds", [15_000, 15_000, 15_000], 45_000],
  ["a heartbeat every minute", [60_000, 60_000], 180_000],
])("after %s the limit is known for what it is", (_, silences, limit) => {
  const rhythm = new Rhythm(undefined);
  for (const [index, silentMs] of silences.entries()) {
    rhythm.beat(silentMs, index === 0 ? Infinity : silentMs);
  }
  expect(rhythm.limitMs).toBe(limit);
});

test.each([
  [Infinity, undefined],
  [1000, 1000],
])("a limit of %s of the user's is left alone by heartbeats", (given, limit) => {
  const rhythm = new Rhythm(given);
  rhythm.beat(15_000, 15_000);
  rhythm.beat(15_000, 15_000);
  expect(rhythm.limitMs).toBe(limit);
});
