import { Server } from "@tenon/mcp";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { parseCassette } from "@tenon/testing";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { CommandTransport } from "@tenon/transports-stdio";
import { describe, expect, test } from "vitest";

import { logIn } from "./support/browser.ts";
import { live, named, orderServer } from "./support/live.ts";
import { refusing } from "./support/refusing.ts";

describe.each(bothEras)("with %s", (revision) => {
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
    expect(request?.era).toBe(revision === legacyRevision ? "legacy" : "modern");
    await browser.inspector.close();
  });

  test("the person answers an elicitation, once or for all further ones", async () => {
    const browser = await live(orderServer(), revision);
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
  const browser = await live(orderServer(), modernRevision);
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
  const browser = await live(orderServer(), modernRevision, { maxInputRequests: 0 });
  await browser.act({ do: "call", call: "c1", method: "tools/call", params: { name: "order" } });
  await named(browser, "c1");
  const lines = await browser.lines();
  expect(lines.find(({ kind }) => kind === "problem")?.subject).toMatch(/^Cancelled an input request/);
  expect(lines.at(-1)?.preview).toContain("cancel");
  await browser.inspector.close();
});

test("a session is exported without its secrets, and shown again as a recording", async () => {
  const server = new Server({ name: "real", version: "1.0.0" });
  server.addTool({ name: "login" }, () => "<script>alert(1)</script> Bearer abcdefghijklmnop");
  const browser = await live(server, modernRevision);
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
  await orderServer().connect(there);
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
