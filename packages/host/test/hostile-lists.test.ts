import { expect, test } from "vitest";

import { Manager, type HostEvents } from "../src/index.ts";
import { addEcho, localServer } from "./fixture.ts";

// What a server lists may be anything; the other servers are there all the same.

const eras = ["2025-11-25", "2026-07-28"] as const;
const prototype = ["toString", "__proto__", "constructor"].map((name) => ({ name, inputSchema: {} }));

const pages: Readonly<Record<string, object>> = {
  "no list": {},
  "a text": { tools: "abc" },
  "what looks like a list": { tools: { length: 3 } },
  nothing: { tools: [null] },
  "what is no object": { tools: ["echo", 5, [], {}] },
  "names that are no text": { tools: [{ name: 5 }, { name: null }, { name: { toString: null } }] },
  "odd members": { tools: [{ name: "x", inputSchema: null, annotations: "yes", description: 7, title: {} }] },
  "names of JavaScript's own": { tools: prototype, ttlMs: "soon" },
  "a number as cursor": { tools: [], nextCursor: 5 },
  "an object as cursor": { tools: [], nextCursor: { toString: null } },
  "the same cursor for ever": { tools: [], nextCursor: "same" },
  "a description of a megabyte": { tools: [{ name: "x", description: "x".repeat(1_000_000) }] },
  "a page of 200 000": { tools: Array.from({ length: 200_000 }, () => ({ name: "t" })) },
};

test.each(eras.flatMap((era) => Object.entries(pages).map(([name, page]) => [era, name, page] as const)))(
  "a server of %s that lists %s leaves the tools of the others alone (T-071)",
  async (era, _, page) => {
    const bad = localServer(addEcho, { server: { revisions: [era] } });
    bad.server.addReceivingMiddleware(
      (next) => (request) => (request.method === "tools/list" ? page : next(request)),
    );
    const fine = localServer();
    await using manager = new Manager({ servers: { bad: bad.spec, fine: fine.spec } });
    const failures: HostEvents["list_failed"][] = [];
    manager.on("list_failed", (event) => failures.push(event));
    await manager.connectAll();
    const tools = await manager.tools();
    expect(tools.filter(({ server }) => server === "fine").map(({ name }) => name)).toEqual([
      "mcp__fine__echo",
    ]);
    for (const { name, tool } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(typeof tool.name).toBe("string");
    }
    expect(failures.every(({ error }) => (error as { code?: unknown }).code !== undefined)).toBe(true);
    const answer = await manager.callToolByName("mcp__fine__echo", { text: "hi" });
    expect(answer.content).toEqual([{ type: "text", text: "hi" }]);
  },
);

test("an item that is longer than allowed fails its list, and says so (T-071)", async () => {
  const wordy = localServer((server) => {
    server.addTool({ name: "wordy", description: "x".repeat(500) }, () => "");
  });
  await using manager = new Manager({ servers: { wordy: wordy.spec }, limits: { maxItemLength: 400 } });
  const failures: HostEvents["list_failed"][] = [];
  manager.on("list_failed", (event) => failures.push(event));
  await manager.connectAll();
  expect(await manager.tools()).toEqual([]);
  const message = "One of the tools of wordy is longer than 400 characters (maxItemLength).";
  expect(failures).toMatchObject([{ server: "wordy", error: { code: "LIMIT_EXCEEDED", message } }]);
});
