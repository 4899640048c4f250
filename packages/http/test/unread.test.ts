import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

import { NodeExchange } from "@tenon/http/server";
import { afterEach, expect, test, vi } from "vitest";

import { setUnread, type UnreadAnswer } from "../src/server/unread.ts";

const mebibyte = 1024 * 1024;
const big = "x".repeat(24 * mebibyte);

let server: Server;
const sockets: Socket[] = [];
const responses: ServerResponse[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
  server.closeAllConnections();
  await Promise.all(
    responses.splice(0).map((response) => (response.closed ? Promise.resolve() : once(response, "close"))),
  );
  await new Promise((resolve) => server.close(resolve));
});

async function listen(): Promise<void> {
  // Node would set the timeout of an idle socket itself.
  server = createServer({ keepAliveTimeout: 0 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

/** A request on a connection of its own, whose client reads nothing until its socket is resumed. */
async function ask(): Promise<{ socket: Socket; request: IncomingMessage; response: ServerResponse }> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  responses.push(response);
  return { socket, request, response };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time that goes on when a test says so. Sockets are real. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
}

test("an answer that nobody reads is broken off after stallMs, not after twice that time", async () => {
  await listen();
  const { request, response } = await ask();
  stopTime();
  new NodeExchange(request, response, undefined, 10_000).respond(200, {}, big);
  let movedAt = performance.now();
  response.on("drain", () => {
    movedAt = performance.now();
  });
  const closed = once(response, "close");
  while (!response.destroyed) {
    await turn();
    vi.advanceTimersByTime(100);
  }
  await closed;
  expect(performance.now() - movedAt).toBeGreaterThanOrEqual(10_000);
  expect(performance.now() - movedAt).toBeLessThanOrEqual(10_600);
});

test.each([10_000, Infinity])(
  "an answer that is read slowly arrives whole, and its socket may then be idle (stallMs %d)",
  async (stallMs) => {
    await listen();
    const { socket, request, response } = await ask();
    stopTime();
    new NodeExchange(request, response, undefined, stallMs).respond(200, {}, big);
    response.on("drain", () => void vi.advanceTimersByTime(9_000));
    let received = 0;
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.resume();
    await once(response, "finish");
    vi.advanceTimersByTime(1_000_000);
    while (received < big.length) {
      await turn();
    }
    expect(socket.destroyed || request.socket.destroyed).toBe(false);
    expect(request.socket.timeout ?? 0).toBe(0);
  },
);

test("texts larger than a connection takes at a time arrive in order", async () => {
  await listen();
  const texts = ["a", "€".repeat(mebibyte), "b", "😀".repeat(mebibyte), "c"];
  server.on("request", (incoming, outgoing) => {
    const sink = new NodeExchange(incoming, outgoing).open(200, {});
    for (const text of texts) {
      sink.write(text);
    }
    sink.end();
  });
  const { port } = server.address() as AddressInfo;
  const answer = await (await fetch(`http://127.0.0.1:${port}`)).text();
  expect(answer === texts.join("")).toBe(true);
});

test("answers that nobody reads hold 64 MiB in all; the last of them is served", async () => {
  await listen();
  for (let index = 0; index < 8; index++) {
    const { request, response } = await ask();
    new NodeExchange(request, response, undefined, Infinity).respond(200, {}, big);
  }
  const alive = responses.filter(({ destroyed }) => !destroyed);
  expect(alive.length).toBeLessThanOrEqual(4);
  expect(responses[0]?.destroyed).toBe(true);
  const last = responses.at(-1);
  sockets.at(-1)?.resume();
  if (last?.writableFinished === false) {
    await once(last, "finish");
  }
  expect(last?.writableFinished).toBe(true);
});

test("an answer counts whole until its last piece is read, which keeps all of it in memory", async () => {
  await listen();
  for (let index = 0; index < 6; index++) {
    const { socket, request, response } = await ask();
    let received = 0;
    const enough = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > 16 * mebibyte) {
          socket.pause();
          resolve();
        }
      });
    });
    new NodeExchange(request, response, undefined, Infinity).respond(200, {}, big);
    socket.resume();
    await enough;
  }
  expect(responses.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(3);
});

test("of the network with the most unread bytes the answer that has not moved for longest is broken off", async () => {
  await listen();
  const broken: string[] = [];
  const answer = (network: string, movedAt: number): UnreadAnswer => ({
    network,
    movedAt,
    abort: () => void broken.push(`${network} ${movedAt}`),
  });
  const answers = [
    answer("slow", 1),
    answer("flood", 5),
    answer("flood", 3),
    answer("flood", 4),
    answer("late", 9),
  ];
  for (const unread of answers) {
    setUnread(unread, 15 * mebibyte);
  }
  expect(broken).toEqual(["flood 3"]);
  for (const unread of answers) {
    setUnread(unread, 0);
  }
  setUnread(answer("alone", 1), 100 * mebibyte);
  expect(broken).toHaveLength(1);
});
