import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";

import { EventStream, NodeExchange, type ByteSink } from "@tenon/http/server";
import { expect, test } from "vitest";

interface Opened extends AsyncDisposable {
  readonly sink: ByteSink;
  readonly response: ServerResponse;
  /** What the client has received so far, chunk by chunk; the head is left out. */
  readonly chunks: readonly string[];
  readonly ended: Promise<unknown>;
}

/** A stream to a client that reads at once, or that reads nothing. */
async function open(reads = true): Promise<Opened> {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const socket = connect((http.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const [request, response] = (await once(http, "request")) as [never, ServerResponse];
  const exchange = new NodeExchange(request, response);
  const sink = exchange.open(200, {});
  const chunks: string[] = [];
  if (reads) {
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(String(head)).toMatch(/^HTTP\/1.1 200[^]*\r\n\r\n$/);
    socket.on("data", (chunk: Buffer) => chunks.push(String(chunk)));
  } else {
    socket.pause();
  }
  return {
    sink,
    response,
    chunks,
    ended: once(socket, "close"),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const last = "0\r\n\r\n";

test("the texts of one turn are one chunk, in their order", async () => {
  await using opened = await open();
  const { sink, chunks, ended } = opened;
  for (const text of ["a", "b", "c"]) {
    sink.write(text);
  }
  await new Promise(setImmediate);
  sink.write("d");
  sink.write("e");
  sink.end();
  await ended;
  expect(chunks.join("")).toBe(chunked("abc") + chunked("de") + last);
});

test("what waits for the end of the turn is counted as unread, and nobody reads it after an abort", async () => {
  await using opened = await open();
  const { sink, response, chunks, ended } = opened;
  const before = sink.buffered;
  sink.write("x".repeat(1000));
  sink.write("y".repeat(500));
  expect(sink.buffered).toBe(before + 1500);
  expect(response.writableLength).toBe(before);
  sink.abort();
  expect(sink.buffered).toBe(response.writableLength);
  await ended;
  expect(chunks).toEqual([]);
});

test("a turn that goes on passes on what is more than 64 KiB", async () => {
  await using opened = await open();
  const { sink, response } = opened;
  sink.write("x".repeat(60_000));
  expect(response.writableLength).toBe(0);
  sink.write("y".repeat(60_000));
  expect(response.writableLength).toBeGreaterThan(100_000);
});

test("small texts to a client that does not read are all counted, and held no more than once", async () => {
  await using opened = await open(false);
  const { sink, response } = opened;
  let written = 0;
  while (sink.buffered < 1024 * 1024) {
    for (let text = 0; text < 100; text++) {
      sink.write("z".repeat(100));
      written += 100;
    }
    await new Promise(setImmediate);
  }
  // What the response has, with the frames of its chunks, and what waits for it.
  expect(response.writableLength).toBeLessThan(200_000);
  expect(sink.buffered).toBeLessThan(1024 * 1024 + 20_000);
  expect(written).toBeGreaterThan(1024 * 1024);
});

test("a sender that waits for a small stream to be taken goes on when it was, even if the socket was never full", async () => {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const answer = fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const [request, response] = (await once(http, "request")) as [never, ServerResponse];
  const stream = new EventStream(
    new NodeExchange(request, response),
    {},
    {
      limits: { maxBufferedBytes: 100 },
    },
  );
  const data = Array.from({ length: 50 }, (_, index) => `${index} ${"x".repeat(60)}`);
  for (const each of data) {
    await stream.send({ data: each });
  }
  stream.end();
  expect(await (await answer).text()).toBe(data.map((each) => `data: ${each}\n\n`).join(""));
  http.closeAllConnections();
  http.close();
});
