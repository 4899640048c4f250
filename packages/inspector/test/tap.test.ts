import { Client, Server } from "@tenon/mcp";
import { recordTransport } from "@tenon/testing";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { logIn } from "./support/browser.ts";

test("a tap shows what a real host says, from either side, and a broken line is named", async () => {
  const server = new Server({ name: "real", version: "1.0.0" });
  server.addTool({ name: "greet" }, () => "hello");
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const [here, there] = createInMemoryTransports();
  await server.connect(browser.inspector.observe(there, "server"));
  const session = await new Client({ name: "host", version: "1.0.0" }).connect(
    recordTransport(here, { write: (line) => browser.inspector.write(line) }),
  );
  await session.callTool({ name: "greet" });
  await session.close();
  browser.inspector.write("{");
  const lines = await browser.lines();
  const calls = lines.filter(({ method, kind }) => method === "tools/call" && kind === "request");
  expect(calls.map(({ to }) => to)).toEqual(["server", "server"]);
  expect(lines.at(-1)).toMatchObject({ kind: "problem", outcome: "error" });
  await expect(browser.act({ do: "definitions" })).rejects.toThrow("A tap only listens");
  await browser.inspector.close();
});

test("a request that is refused, and one whose connection ends, get no response and free their lanes", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const write = (entry: object): void =>
    browser.inspector.write(JSON.stringify({ at: 0, connection: 0, ...entry }));
  const requestOf = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });
  write({ dir: "write", message: requestOf(1) });
  const observed = browser.inspector.observeFetch(() => Promise.resolve(new Response("", { status: 401 })));
  await observed("https://mcp.example", { method: "POST", body: JSON.stringify(requestOf(1)) });
  write({ dir: "write", message: requestOf(2) });
  write({ dir: "end" });
  write({ dir: "write", message: requestOf(3) });
  expect((await browser.lines()).map(({ kind, ends, lane }) => [kind, ends, lane])).toEqual([
    ["request", undefined, 0],
    ["http", [1], 0],
    ["request", undefined, 0],
    ["end", [3], undefined],
    ["request", undefined, 0],
  ]);
  await browser.inspector.close();
});

test("a request over HTTP that is given up after the head of its response is seen to end", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" };
  browser.inspector.write(JSON.stringify({ at: 0, connection: 0, dir: "write", message }));
  const control = new AbortController();
  const observed = browser.inspector.observeFetch(() => Promise.resolve(new Response("")));
  const { signal } = control;
  await observed("https://mcp.example", { method: "POST", body: JSON.stringify(message), signal });
  control.abort();
  expect((await browser.lines()).at(-1)).toMatchObject({ kind: "http", outcome: "error", ends: [1] });
  await browser.inspector.close();
});

test("HTTP exchanges and events of a login are lines without credentials", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const observed = browser.inspector.observeFetch(() =>
    Promise.resolve(new Response("{}", { status: 401, headers: { "www-authenticate": "Bearer" } })),
  );
  await observed("https://mcp.example/.well-known/oauth-protected-resource", {
    headers: { authorization: "Bearer secret-token" },
  });
  browser.inspector.authEvent({ type: "status", status: { state: "needs-user" } } as { type: string });
  const done = { state: "authorized", scopes: ["notes:read"] };
  browser.inspector.authEvent({ type: "status", status: done } as { type: string });
  const refused = { state: "needs-user", error: new Error("The user refused. Call login() to ask again.") };
  browser.inspector.authEvent({ type: "status", status: refused } as { type: string });
  const lines = await browser.lines();
  expect(lines.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ["http", "login"],
    ["auth", "login"],
    ["auth", "ok"],
    ["auth", "error"],
  ]);
  expect(lines.slice(1).map(({ subject }) => subject)).toEqual([
    "Login: required",
    "Login: done, scopes notes:read",
    "Login: failed. The user refused.",
  ]);
  const text = await (await browser.send("line?seq=1")).text();
  expect(text).toContain("[redacted]");
  expect(text).not.toContain("secret-token");
  await browser.inspector.close();
});

test("an HTTP request of a tap belongs to no connection if several have an open request with its ID", async () => {
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const write = (entry: object): void => browser.inspector.write(JSON.stringify({ at: 0, ...entry }));
  const message = { jsonrpc: "2.0", id: 1, method: "ping" };
  const failing = browser.inspector.observeFetch(() => Promise.resolve(new Response("", { status: 500 })));
  const send = (): Promise<unknown> =>
    failing("https://mcp.example", { method: "POST", body: JSON.stringify(message) });
  write({ dir: "write", connection: 0, message });
  write({ dir: "write", connection: 1, message });
  await send();
  write({ dir: "end", connection: 1 });
  await send();
  expect((await browser.lines()).map(({ kind, ends }) => [kind, ends])).toEqual([
    ["request", undefined],
    ["request", undefined],
    ["http", undefined],
    ["end", [2]],
    ["http", [1]],
  ]);
  await browser.inspector.close();
});
