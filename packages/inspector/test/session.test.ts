import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import { modernRevision } from "@tenon/test-support";
import { parseCassette, recordTransport } from "@tenon/testing";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { CommandTransport } from "@tenon/transports-stdio";
import { describe, expect, test } from "vitest";

import type { LiveSource } from "../src/index.ts";
import { logIn, type FakeBrowser, type SeenState } from "./support/browser.ts";
import { refusing } from "./support/refusing.ts";

async function live(
  server: Server,
  revision: "2025-11-25" | "2026-07-28",
  limits: object = {},
): Promise<FakeBrowser> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const browser = await logIn({
    source: { kind: "live", label: "memory", transport: here, client: { revisions: [revision] } },
    limits,
  });
  await browser.state(({ source }) => source.phase === "open");
  return browser;
}

const named = (browser: FakeBrowser, call: string): Promise<SeenState> =>
  browser.state(({ calls }) => calls.some((one) => one.call === call && one.phase !== "running"));

const askingServer = (): Server => {
  const server = new Server({ name: "asking", version: "1.0.0" });
  server.addTool({ name: "order" }, async (_, ctx) => {
    const { action, content } = await ctx.elicit({
      message: "How many?",
      requestedSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
    });
    return `${action} ${String(content?.count)}`;
  });
  return server;
};

describe.each(["2025-11-25", "2026-07-28"] as const)("with %s", (revision) => {
  test("requests are paired with responses, and progress with its request", async () => {
    const server = new Server({ name: "slow", version: "1.0.0" });
    server.addTool({ name: "count" }, async (_, { progress }) => {
      await progress(1, 2);
      return "done";
    });
    const browser = await live(server, revision);
    await browser.act({ do: "call", call: "c1", method: "tools/call", params: { name: "count" } });
    await named(browser, "c1");
    const lines = await browser.lines();
    const request = lines.find(({ method, kind }) => method === "tools/call" && kind === "request");
    const own = lines.filter(({ request: owner }) => owner === request?.seq);
    expect(own.map(({ kind, method, subject, outcome }) => [kind, method, subject, outcome])).toEqual([
      ["notification", "notifications/progress", "1 of 2", undefined],
      ["response", "tools/call", "count", "ok"],
    ]);
    expect(request?.era).toBe(revision === "2025-11-25" ? "legacy" : "modern");
    await browser.inspector.close();
  });

  test("the person answers an elicitation, once or for all further ones", async () => {
    const browser = await live(askingServer(), revision);
    const call = { do: "call", method: "tools/call", params: { name: "order" } };
    await browser.act({ ...call, call: "c1" });
    const { inputRequests } = await browser.state(({ inputRequests: all }) => all.length > 0);
    const { id, params } = inputRequests[0] ?? {};
    expect(params).toMatchObject({ message: "How many?" });
    const answer = { action: "accept", content: { count: 3 } };
    await browser.act({ do: "answer", question: id, answer, always: true });
    await named(browser, "c1");
    await expect(browser.act({ do: "answer", question: id, answer })).rejects.toThrow("has ended");
    await browser.act({ ...call, call: "c2" });
    await named(browser, "c2");
    const results = (await browser.lines()).filter(({ preview }) => preview.includes("accept 3"));
    expect(results).toHaveLength(2);
    await browser.inspector.close();
  });

  test("several servers are open at once, each with its own lines, responses, forms and export", async () => {
    const connected = async (): Promise<Transport> => {
      const [here, there] = createInMemoryTransports();
      await askingServer().connect(there);
      return here;
    };
    const live = { kind: "live", label: "memory", client: { revisions: [revision] } } as const;
    let opens = 0;
    const browser = await logIn({
      source: { ...live, transport: await connected() },
      servers: {
        list: () => Promise.resolve([{ id: "other", name: "other", label: "memory", origin: "test" }]),
        open: async () => ({ ...live, label: `other ${++opens}`, transport: await connected() }),
      },
      limits: { maxServers: 2 },
    });
    const { id: first } = await browser.state(({ source }) => source.phase === "open");
    const call = { do: "call", method: "tools/call", params: { name: "order" } };
    await browser.act({ ...call, call: "c1" });
    const { inputRequests } = await browser.state(({ inputRequests: all }) => all.length > 0);
    const answer = { action: "accept", content: { count: 3 } };
    await browser.act({ do: "answer", question: inputRequests[0]?.id, answer, always: true });
    await named(browser, "c1");

    const { server } = (await browser.act({ do: "open", to: { id: "other" } })) as { server: string };
    expect(await browser.act({ do: "open", to: { id: "other" } })).toEqual({ server });
    await expect(browser.act({ do: "open", to: { id: "third" } })).rejects.toThrow("2 servers are open");
    await browser.state(({ source }) => source.phase === "open" && source.label === "other 1", server);
    expect((await browser.state(() => true)).source.phase).toBe("open");
    await browser.act({ ...call, call: "c2", server });
    const asked = await browser.state(({ inputRequests: all }) => all.length > 0, server);
    expect([asked.always, (await browser.state(() => true)).inputRequests]).toEqual([{}, []]);
    await browser.act({ do: "answer", question: asked.inputRequests[0]?.id, answer, server });
    await browser.state(({ calls }) => calls.some(({ phase }) => phase === "done"), server);

    const calls = (await browser.lines()).filter(
      ({ method, kind }) => method === "tools/call" && kind === "request",
    );
    expect(new Set(calls.map((line) => line.server))).toEqual(new Set([first, server]));
    // The subscription to the lists takes the first lane of each server in the modern era.
    expect(new Set(calls.map(({ lane }) => lane))).toEqual(new Set([revision === modernRevision ? 1 : 0]));
    const exported = async (of: string): Promise<number> => {
      const text = await (await browser.send(`export?format=jsonl&server=${of}`)).text();
      return parseCassette(text).entries.filter(({ dir }) => dir === "write").length;
    };
    const all = (await browser.lines()).filter(({ to }) => to === "server").length;
    expect((await exported(first)) + (await exported(server))).toBe(all);
    expect((await browser.send("export?format=jsonl&server=s9")).status).toBe(404);

    // Its entry in the list may have changed.
    await browser.act({ do: "disconnect", server });
    const asBefore = ({ phase, serverInfo }: SeenState["source"]): boolean =>
      phase === "closed" && serverInfo !== undefined;
    await browser.state(({ source }) => asBefore(source), server);
    await browser.act({ do: "connect", server });
    await browser.state(({ source }) => source.phase === "open" && source.label === "other 2", server);

    await browser.act({ do: "remove", server });
    await browser.state(({ servers }) => servers.length === 1);
    await expect(browser.act({ ...call, call: "c3", server })).rejects.toThrow("was removed");
    await expect(browser.act({ do: "remove" })).rejects.toThrow("Expected a second server");

    const both = await Promise.allSettled(
      ["third", "fourth"].map((id) => browser.act({ do: "open", to: { id } })),
    );
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await browser.inspector.close();
  });

  test("a server that asks often does not keep another server from asking", async () => {
    const sourceOf = async (): Promise<LiveSource> => {
      const [transport, there] = createInMemoryTransports();
      await askingServer().connect(there);
      return { kind: "live", label: "memory", transport, client: { revisions: [revision] } };
    };
    const browser = await logIn({
      source: await sourceOf(),
      servers: { list: () => Promise.resolve([]), open: sourceOf },
      limits: { maxInputRequests: 2 },
    });
    await browser.state(({ source }) => source.phase === "open");
    const { server } = (await browser.act({ do: "open", to: { id: "other" } })) as { server: string };
    await browser.state(({ source }) => source.phase === "open", server);
    const call = { do: "call", method: "tools/call", params: { name: "order" } };
    await browser.act({ ...call, call: "c1" });
    await browser.act({ ...call, call: "c2" });
    await browser.state(({ calls }) => calls.some(({ phase }) => phase === "done"));
    await browser.act({ ...call, call: "c3", server });
    await browser.state(({ inputRequests }) => inputRequests.length === 1, server);
    expect((await browser.state(() => true)).inputRequests).toHaveLength(1);
    await browser.inspector.close();
  });

  test("a call can be cancelled, and its failure is named", async () => {
    const server = new Server({ name: "slow", version: "1.0.0" });
    server.addTool(
      { name: "wait" },
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    );
    const browser = await live(server, revision);
    await browser.act({ do: "call", call: "c1", method: "tools/call", params: { name: "wait" } });
    await browser.state(({ calls }) => calls[0]?.request !== undefined);
    await browser.act({ do: "cancel", call: "c1" });
    const { calls } = await named(browser, "c1");
    expect(calls).toMatchObject([{ call: "c1", phase: "cancelled" }]);
    const lines = await browser.lines();
    const request = lines.find(({ subject, kind }) => subject === "wait" && kind === "request");
    expect(lines.find(({ method }) => method === "notifications/cancelled")?.ends).toEqual([request?.seq]);
    await browser.inspector.close();
  });

  test("a watched resource is listed, and its updates are lines", async () => {
    const server = new Server({ name: "notes", version: "1.0.0" });
    server.addResource({ uri: "notes://1", name: "one" }, () => "text");
    const browser = await live(server, revision);
    await browser.act({ do: "watch", uri: "notes://1" });
    await expect
      .poll(async () => {
        server.resourceUpdated("notes://1");
        return (await browser.lines()).some(({ method }) => method === "notifications/resources/updated");
      })
      .toBe(true);
    const { watched } = await browser.state(() => true);
    expect(watched).toEqual(["notes://1"]);
    const send = (action: string): Promise<unknown> => browser.act({ do: action, uri: "notes://1" });
    await Promise.all([send("unwatch"), send("watch")]);
    await browser.state((state) => state.watched.length === 1);
    await browser.inspector.close();
  });
});

test("the rounds of a modern request that needs input belong together", async () => {
  const browser = await live(askingServer(), "2026-07-28");
  await browser.act({ do: "call", call: "c1", method: "tools/call", params: { name: "order" } });
  const { inputRequests } = await browser.state(({ inputRequests: all }) => all.length > 0);
  const { id } = inputRequests[0] ?? {};
  await browser.act({ do: "answer", question: id, answer: { action: "decline" } });
  await named(browser, "c1");
  const lines = (await browser.lines()).filter(({ method }) => method === "tools/call");
  expect(lines.map(({ kind, outcome, round }) => [kind, outcome, round])).toEqual([
    ["request", undefined, undefined],
    ["response", "input", undefined],
    ["request", undefined, 2],
    ["response", "ok", undefined],
  ]);
  expect(lines[2]?.continues).toBe(lines[0]?.seq);
  await browser.inspector.close();
});

test("an input request beyond the limits is cancelled, and the timeline says so", async () => {
  const browser = await live(askingServer(), "2026-07-28", { maxInputRequests: 0 });
  await browser.act({ do: "call", call: "c1", method: "tools/call", params: { name: "order" } });
  await named(browser, "c1");
  const lines = await browser.lines();
  expect(lines.find(({ kind }) => kind === "problem")?.subject).toMatch(/^Cancelled an input request/);
  expect(lines.at(-1)?.preview).toContain("cancel");
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

test("a session is exported without its secrets, and shown again as a recording", async () => {
  const server = new Server({ name: "real", version: "1.0.0" });
  server.addTool({ name: "login" }, () => "<script>alert(1)</script> Bearer abcdefghijklmnop");
  const browser = await live(server, "2026-07-28");
  await browser.act({
    do: "call",
    call: "c1",
    method: "tools/call",
    params: { name: "login", arguments: { password: "hunter2" } },
  });
  await named(browser, "c1");
  const exported = async (format: string): Promise<string> =>
    (await browser.send(`export?format=${format}`)).text();
  for (const format of ["jsonl", "har", "html"]) {
    const text = await exported(format);
    expect(text).toContain("login");
    expect(text).not.toMatch(/hunter2|abcdefghijklmnop/);
  }
  expect(await exported("html")).not.toContain("<script>");
  expect(
    (JSON.parse(await exported("har")) as { log: { entries: unknown[] } }).log.entries.length,
  ).toBeGreaterThan(1);
  expect((await browser.send("export?format=exe")).status).toBe(404);
  const cassette = parseCassette(await exported("jsonl"));
  await browser.inspector.close();
  const again = await logIn({ source: { kind: "recording", label: "session.jsonl", cassette } });
  const lines = await again.lines();
  expect(lines.filter(({ subject }) => subject === "login").map(({ kind }) => kind)).toEqual([
    "request",
    "response",
  ]);
  await again.inspector.close();
});

test("a connection that fails is shown with its reason", async () => {
  const transport = { connect: () => Promise.reject(new Error("no such server")) };
  const browser = await logIn({ source: { kind: "live", label: "nothing", transport } });
  const { source } = await browser.state(({ source: { phase } }) => phase === "failed");
  expect(source.reason).toContain("no such server");
  await expect(browser.act({ do: "call", call: "c", method: "ping" })).rejects.toThrow(
    "Connect to the server first.",
  );
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

test("a program that ends during a request leaves no request open", async () => {
  const transport = new CommandTransport({
    command: process.execPath,
    args: ["-e", "process.stdin.once('data', () => process.exit(3))"],
  });
  const browser = await logIn({
    source: { kind: "live", label: "node", transport, client: { revisions: [modernRevision] } },
  });
  const { source } = await browser.state(({ source: { phase } }) => phase === "failed");
  expect(source.reason).toContain("ended with code 3");
  const lines = await browser.lines();
  expect(lines.filter(({ kind }) => kind === "end").map(({ ends }) => ends)).toEqual([[1]]);
  await browser.inspector.close();
});

test("a call that needs further scopes says so, with a session that stays open", async () => {
  const [here, there] = createInMemoryTransports();
  await askingServer().connect(there);
  const transport = refusing(here, () => true);
  const browser = await logIn({ source: { kind: "live", label: "memory", transport } });
  await browser.state(({ source }) => source.phase === "open");
  await browser.act({ do: "call", call: "c1", method: "tools/call", params: { name: "order" } });
  const { calls, source } = await named(browser, "c1");
  expect(calls).toMatchObject([{ phase: "failed", needsLogin: true }]);
  expect(source).toMatchObject({
    phase: "open",
    login: { phase: "required", scopes: ["notes:write"], isFurther: true },
  });
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

test("two logins that end alike are two lines, and the two events of one end are one line", async () => {
  const browser = await logIn({
    source: {
      kind: "live",
      label: "notes",
      transport: { connect: () => Promise.reject(new Error("There is no server.")) },
      login({ onEvent }) {
        const done = { type: "status", status: { state: "authorized", scopes: ["notes:read"] } };
        onEvent(done);
        onEvent(done);
        return Promise.resolve();
      },
    },
  });
  for (let login = 1; login <= 2; login++) {
    await browser.act({ do: "login" });
    await browser.state(({ source }) => source.login === undefined && source.phase === "failed");
    const done = (await browser.lines()).filter(({ kind }) => kind === "auth");
    expect(done.map(({ subject }) => subject)).toEqual(Array(login).fill("Login: done, scopes notes:read"));
  }
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
