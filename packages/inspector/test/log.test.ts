import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { createLog, type Log } from "../src/engine/log.ts";
import { testText } from "../src/server/export-test.ts";
import { logIn } from "./support/browser.ts";

function logOf(maxLogBytes = 1_000_000): Log {
  return createLog({ maxLines: 10_000, maxLogBytes, maxLineBytes: maxLogBytes }, () => {});
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

test("dropped lines are released at once, however few they are", async () => {
  const log = logOf(1024);
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(600) } };
  const dropped = (() => {
    log.add({ at: 0, connection: 0, to: "client", message });
    const line = log.line(1);
    expect(line).toBeDefined();
    return new WeakRef(line ?? {});
  })();
  log.add({ at: 1, connection: 0, to: "client", message });
  expect(log.dropped).toBe(1);
  // A reference that was just made or read keeps its target until the end of the macrotask.
  await setImmediate();
  collect();
  expect(dropped.deref()).toBeUndefined();
});

test("a summary is short, however long the method, the ID and the token of a message are", () => {
  const log = logOf();
  const long = "x".repeat(100_000);
  const params = { name: long, _meta: { progressToken: long } };
  log.add({
    at: 0,
    connection: 0,
    to: "server",
    message: { jsonrpc: "2.0", id: long, method: long, params },
  });
  log.add({ at: 1, connection: 0, to: "client", message: { jsonrpc: "2.0", id: long, result: {} } });
  log.add({ at: 2, connection: 0, kind: "problem", title: long });
  const [, response] = log.after(0, 3);
  expect(response?.request).toBe(1);
  expect(log.after(0, 3).filter((summary) => JSON.stringify(summary).length > 10_500)).toEqual([]);
});

test("requests without a response keep little memory when their lines were dropped", () => {
  const log = logOf();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let id = 0; id < 100; id++) {
    const text = JSON.stringify("x".repeat(1_000_000));
    const message = { jsonrpc: "2.0", id, method: JSON.parse(text), params: { name: JSON.parse(text) } };
    log.add({ at: 0, connection: 0, to: "server", message });
  }
  collect();
  expect((process.memoryUsage().heapUsed - before) / 1_000_000).toBeLessThan(50);
});

test("requests with an ID that is in use keep no lanes", () => {
  const log = logOf();
  for (const at of [0, 1, 2]) {
    log.add({ at, connection: 0, to: "server", message: { jsonrpc: "2.0", id: 1, method: "ping" } });
  }
  log.add({ at: 3, connection: 0, to: "client", message: { jsonrpc: "2.0", id: 1, result: {} } });
  expect(log.after(3, 1)).toMatchObject([{ request: 3, lane: 0, lanes: 1 }]);
});

test("a call becomes a test although lines of another server are between its lines", () => {
  const log = logOf();
  const add = (server: string, to: "server" | "client", message: object): void =>
    log.add({ at: 0, connection: 0, to, message: { jsonrpc: "2.0", ...message } }, server);
  const call = (id: number, server: string): void => {
    add(server, "server", { id, method: "tools/call", params: { name: `tool-${id}` } });
    add(server, "client", { id: `ask-${id}`, method: "elicitation/create", params: {} });
    add(server, "server", { id: `ask-${id}`, result: { action: "accept", content: { of: `answer-${id}` } } });
    add(server, "client", { id, result: { content: [{ type: "text", text: `result-${id}` }] } });
  };
  call(1, "s2");
  call(2, "s1");
  call(3, "s2");
  call(4, "s1");
  const lines = log.lines().filter(({ summary }) => summary.server === "s1");
  const last = lines.at(-1)?.summary.seq;
  const text = testText({ lines, label: "s1", address: { command: "node" } }, last);
  expect(text).toContain('"name": "tool-4"');
  expect(text).toContain('"text": "result-4"');
  expect(text).toContain('"of": "answer-4"');
  expect(text).not.toMatch(/tool-2|answer-2/);
});

test("a page that has no line that is kept is told to remove its lines", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const write = (id: number): void =>
    browser.inspector.write(
      JSON.stringify({ at: 0, connection: 0, dir: "write", message: { jsonrpc: "2.0", id, method: "ping" } }),
    );
  const firstAfter = async (line: number): Promise<string> => {
    const { body } = await browser.send(`events?after=${line}`);
    const reader = body?.getReader();
    const event = await reader?.read();
    await reader?.cancel();
    return new TextDecoder().decode(event?.value);
  };
  write(1);
  write(2);
  expect(await firstAfter(1)).toContain('"type":"state"');
  await browser.act({ do: "clear" });
  write(3);
  expect(await firstAfter(2)).toContain('{"type":"lines","lines":[],"cleared":true}');
  expect(await firstAfter(3)).toContain('"type":"state"');
  await browser.inspector.close();
});

test("lines after the timeline was cleared know what came before", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const write = (dir: string, message: object): void =>
    browser.inspector.write(
      JSON.stringify({ at: 0, connection: 0, dir, message: { jsonrpc: "2.0", ...message } }),
    );
  write("write", { id: 1, method: "initialize" });
  await browser.act({ do: "clear" });
  write("read", { id: 1, result: {} });
  write("write", { id: 2, method: "ping" });
  expect(await browser.lines()).toMatchObject([
    { kind: "response", method: "initialize", request: 1, era: "legacy" },
    { kind: "request", method: "ping", era: "legacy", lane: 0 },
  ]);
  await browser.inspector.close();
});

test("a problem keeps all last words of a program", () => {
  const log = logOf();
  const words = Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(500, "x")).join("\n");
  const title = `The program ended with exit code 1. Its last words:\n${words}`;
  log.add({ at: 0, connection: 0, kind: "problem", title });
  expect(log.after(0, 1)[0]?.subject).toHaveLength(title.length);
});

test("an HTTP request of a tap belongs to the connection whose request waits when it is sent", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const write = (connection: number, message: object): void =>
    browser.inspector.write(
      JSON.stringify({ at: 0, connection, dir: "write", message: { jsonrpc: "2.0", ...message } }),
    );
  const response = deferred<Response>();
  const failing = browser.inspector.observeFetch(() => response.promise);
  const ping = { id: 1, method: "ping" };
  write(0, ping);
  write(0, { method: "notifications/cancelled", params: { requestId: 1 } });
  write(1, ping);
  const sent = failing("https://mcp.example", { method: "POST", body: JSON.stringify(ping) });
  write(2, ping);
  response.resolve(new Response("", { status: 500 }));
  await sent;
  expect((await browser.lines()).map(({ kind, connection, ends }) => [kind, connection, ends])).toEqual([
    ["request", 0, undefined],
    ["notification", 0, [1]],
    ["request", 1, undefined],
    ["request", 2, undefined],
    ["http", 1, [3]],
  ]);
  await browser.inspector.close();
});

test("the oldest lines are dropped, and the page is told how many", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" }, limits: { maxLines: 3 } });
  for (let id = 1; id <= 5; id++) {
    const message = { jsonrpc: "2.0", id, method: "ping" };
    browser.inspector.write(JSON.stringify({ at: id, connection: 0, dir: "write", message }));
  }
  expect((await browser.lines()).map(({ seq }) => seq)).toEqual([3, 4, 5]);
  expect((await browser.state(() => true)).dropped).toBe(2);
  expect((await browser.send("line?seq=2")).status).toBe(404);
  await browser.inspector.close();
});

test("a message that is too long is cut, and a long one comes in parts", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" }, limits: { maxLineBytes: 400_000 } });
  for (const length of [300_000, 500_000]) {
    const message = { jsonrpc: "2.0", method: "x", params: { text: "x".repeat(length) } };
    browser.inspector.write(JSON.stringify({ at: 0, connection: 0, dir: "read", message }));
  }
  expect((await browser.lines()).map(({ cut }) => cut)).toEqual([undefined, true]);
  const part = async (offset: number): Promise<{ part: string; next?: number }> =>
    (await browser.send(`line?seq=1&offset=${offset}`)).json() as Promise<{ part: string; next?: number }>;
  const first = await part(0);
  const second = await part(first.next ?? 0);
  expect(JSON.parse(first.part + second.part)).toMatchObject({ method: "x" });
  expect(second.next).toBeUndefined();
  await browser.inspector.close();
});
