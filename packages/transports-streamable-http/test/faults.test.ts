import { connect } from "node:net";

import { createMemoryEventStore } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, listen, modern, open } from "./setup.ts";

const big = "x".repeat(10_000);

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
    { streams: { maxBufferedBytes: 256 * 1024, stallMs: 200 } },
  );
  const { headers, body } = modern("tools/list");
  const head = Object.entries({
    ...headers,
    host: "localhost",
    "content-length": String(Buffer.byteLength(body)),
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const socket = connect(Number(listening.url.port), listening.url.hostname);
  socket.on("error", () => {});
  socket.pause();
  socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`);
  await over;
  expect(outcome).toMatchObject({ code: expect.any(String) as string });
  // What the kernel and the two buffers hold, far from 200 MB.
  expect(sent).toBeLessThan(5000);
  socket.destroy();
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
  const head = Object.entries({
    ...headers,
    host: "localhost",
    "content-length": String(Buffer.byteLength(body)),
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(Number(listening.url.port), listening.url.hostname);
    socket.on("error", () => {});
    socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`);
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
  const store = createMemoryEventStore({ maxEvents: 100, maxLength: 10_000 });
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
