import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Peer } from "@tenon/jsonrpc2";
import { createMemoryEventStore } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, listen, modern, open, peerServer } from "./setup.ts";

const big = "x".repeat(10_000);

function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** The head of a POST, as it goes over the wire. */
function headOf(headers: Readonly<Record<string, string>>, length: number): string {
  const fields = Object.entries({ ...headers, host: "localhost", "content-length": String(length) });
  return `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}`;
}

test("T-036: who does not read a stream slows its sender down, and loses the stream", async () => {
  let sent = 0;
  let outcome: unknown;
  let ended = (): void => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  await using listening = await listen(
    async (scope) => {
      try {
        for (; sent < 20_000; sent++) {
          await scope.notify("notifications/message", { data: big });
        }
      } catch (error) {
        outcome = error;
      }
      ended();
      return "done";
    },
    { limits: { maxBufferedBytes: 256 * 1024, stallMs: 200 } },
  );
  const { headers, body } = modern("tools/list");
  const head = headOf(headers, Buffer.byteLength(body));
  const socket = connect(Number(listening.url.port), listening.url.hostname);
  socket.on("error", () => {});
  socket.pause();
  socket.write(`${head}\r\n${body}`);
  await over;
  expect(outcome).toMatchObject({ code: expect.any(String) as string });
  // What the kernel and the two buffers hold, far from 200 MB.
  expect(sent).toBeLessThan(5000);
  socket.destroy();
});

test("T-036: a GET stream that nobody reads costs little memory, whatever is sent on it", async () => {
  const collect = garbageCollector();
  const server = peerServer(echo);
  const peers: Peer[] = [];
  await using listening = await listen(echo, {
    getServer: () => ({
      ...server,
      async connect(transport) {
        const peer = await server.connect(transport);
        peers.push(peer);
        return peer;
      },
    }),
    limits: { maxBufferedBytes: 256 * 1024, stallMs: 200 },
  });
  const headers = await open(listening.url);
  const fields = Object.entries({ ...headers, host: "localhost", accept: "text/event-stream" });
  const socket = connect(Number(listening.url.port), listening.url.hostname);
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.once("data", () => {
      socket.pause();
      resolve();
    });
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`GET /mcp HTTP/1.1\r\n${lines}\r\n`);
  });
  collect();
  const before = process.memoryUsage().rss;
  let growth = 0;
  for (let sent = 0; sent < 20_000; sent++) {
    // Not related to a request, so it goes to the standalone stream.
    await peers[0]?.notify("notifications/message", { data: big }).catch(() => {});
    if (sent % 2000 === 0) {
      await new Promise(setImmediate);
      collect();
      growth = Math.max(growth, process.memoryUsage().rss - before);
    }
  }
  expect(growth).toBeLessThan(64 * 1024 * 1024);
  expect(peers).toHaveLength(1);
  socket.destroy();
});

test("T-017: a header whose bytes are not UTF-8 is refused, and no handler sees U+FFFD", async () => {
  const seen: string[] = [];
  await using listening = await listen((scope) => {
    seen.push(JSON.stringify(scope.params ?? {}));
    return {};
  });
  const { headers, body } = modern("tools/call", { name: "t" });
  for (const value of ["\u00ff\u00fe", "\u00c3", "=?base64?//4=?="]) {
    const head = headOf({ ...headers, "mcp-name": value, connection: "close" }, Buffer.byteLength(body));
    const socket = connect(Number(listening.url.port), listening.url.hostname);
    const chunks: Buffer[] = [];
    const closed = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => chunks.push(chunk)).once("close", () => resolve());
    });
    // One byte for each character, as it goes over the wire.
    socket.write(Buffer.from(`${head}\r\n${body}`, "latin1"));
    await closed;
    expect(Buffer.concat(chunks).toString(), value).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(seen).toEqual([]);
});

test("T-037b: 300 clients that vanish mid-call leave nothing running", async () => {
  let running = 0;
  let entered = 0;
  let allEntered = (): void => {};
  let allGone = (): void => {};
  const inside = new Promise<void>((resolve) => {
    allEntered = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    allGone = resolve;
  });
  const clients = 300;
  await using listening = await listen(
    (scope) =>
      new Promise((resolve) => {
        if (scope.id === undefined) {
          resolve(undefined);
          return;
        }
        running++;
        entered++;
        scope.signal.addEventListener("abort", () => {
          running--;
          resolve(undefined);
          if (running === 0 && entered === clients) {
            allGone();
          }
        });
        if (entered === clients) {
          allEntered();
        }
      }),
  );
  const { headers, body } = modern("tools/list");
  const head = headOf(headers, Buffer.byteLength(body));
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(Number(listening.url.port), listening.url.hostname);
    socket.on("error", () => {});
    socket.write(`${head}\r\n${body}`);
    return socket;
  });
  await inside;
  for (const socket of sockets) {
    socket.resetAndDestroy();
  }
  await gone;
  expect(running).toBe(0);
});

test("T-049: 500 open streams go to several sessions of the server, and ordinary calls are still served", async () => {
  let open = 0;
  let allOpen = (): void => {};
  const listening = await listen(async (scope) => {
    if (scope.method !== "subscriptions/listen") {
      return "served";
    }
    await scope.notify("notifications/subscriptions/acknowledged", {});
    open++;
    if (open === 500) {
      allOpen();
    }
    return new Promise(() => {});
  });
  const ready = new Promise<void>((resolve) => {
    allOpen = resolve;
  });
  const controller = new AbortController();
  const { signal } = controller;
  const streams = Array.from({ length: 500 }, (_, index) =>
    listening.handler.fetch(
      new Request(listening.url, { ...modern("subscriptions/listen", {}, index), signal }),
    ),
  );
  await ready;
  const response = await fetch(listening.url, modern("tools/list"));
  expect(await response.json()).toMatchObject({ result: "served" });
  await Promise.all(streams);
  controller.abort();
  await listening[Symbol.asyncDispose]();
});

test("the memory store keeps to its limits", async () => {
  const store = createMemoryEventStore({ limits: { maxEvents: 100, maxLength: 10_000 } });
  const stream = { sessionId: "s", streamId: "1" };
  const ids: string[] = [];
  for (let index = 0; index < 1000; index++) {
    ids.push(await store.append(stream, "x".repeat(50)));
  }
  expect(await store.streamOf("s", ids[0] ?? "")).toBeUndefined();
  expect(await store.streamOf("s", ids[900] ?? "")).toBe("1");
  expect([...(store.readAfter(stream, ids[950] ?? "") as Iterable<unknown>)]).toHaveLength(49);
  await store.append(stream, "x".repeat(9999));
  expect(await store.streamOf("s", ids[999] ?? "")).toBeUndefined();
  await store.deleteSession("s");
  expect(await store.streamOf("s", ids[999] ?? "")).toBeUndefined();
});

test("the memory store keeps nothing of streams whose events it has forgotten", async () => {
  const collect = garbageCollector();
  const store = createMemoryEventStore({ limits: { maxEvents: 10 } });
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 100_000; index++) {
    await store.append({ sessionId: "s", streamId: String(index) }, "x");
  }
  collect();
  // 240 bytes for each were kept once.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
  expect(await store.streamOf("s", "99999-100000")).toBe("99999");
});

test("T-037: a legacy client that vanishes does not cancel its request (R-353)", async () => {
  let aborted = false;
  let entered = (): void => {};
  let finish: (value: unknown) => void = () => {};
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using listening = await listen((scope) => {
    if (scope.id === undefined) {
      return undefined;
    }
    scope.signal.addEventListener("abort", () => {
      aborted = true;
    });
    entered();
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  const headers = await open(listening.url);
  const controller = new AbortController();
  const call = fetch(listening.url, {
    method: "POST",
    headers: { ...common, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "slow" }),
    signal: controller.signal,
  });
  await inside;
  controller.abort();
  await expect(call).rejects.toThrow();
  // A later request of the same session is served, so the server has seen the connection go.
  const ping = await fetch(listening.url, {
    method: "POST",
    headers: { ...common, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/anything" }),
  });
  expect(ping.status).toBe(202);
  expect(aborted).toBe(false);
  finish("late");
});

test("T-038: 100 senders of a byte at a time are cut off, and others are served meanwhile", async () => {
  await using listening = await listen(undefined, { limits: { bodyTimeoutMs: 300 } });
  const { headers, body } = modern("tools/list");
  const head = headOf(headers, Buffer.byteLength(body));
  const answers = Array.from({ length: 100 }, () => {
    const socket = connect(Number(listening.url.port), listening.url.hostname);
    socket.on("error", () => {});
    socket.write(`${head}\r\n`);
    const drip = setInterval(() => {
      if (socket.writable) {
        socket.write("{");
      }
    }, 50);
    return new Promise<string>((resolve) => {
      let received = "";
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString();
      });
      socket.on("close", () => {
        clearInterval(drip);
        resolve(received);
      });
    });
  });
  expect((await fetch(listening.url, modern("tools/list"))).status).toBe(200);
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
  }
});

test("a Content-Length that promises more than comes ends with its connection, and nothing is run", async () => {
  const seen: string[] = [];
  await using listening = await listen((scope) => {
    seen.push(scope.method);
    return "served";
  });
  const { headers, body } = modern("tools/list");
  const head = headOf(headers, Buffer.byteLength(body) + 100);
  const socket = connect(Number(listening.url.port), listening.url.hostname);
  socket.on("error", () => {});
  socket.end(`${head}\r\n${body}`);
  await new Promise<void>((resolve) => {
    socket.resume();
    socket.on("close", () => resolve());
  });
  expect(seen).toEqual([]);
  expect((await fetch(listening.url, modern("tools/call", { name: "x" }))).status).toBe(200);
  expect(seen).toEqual(["tools/call"]);
});
