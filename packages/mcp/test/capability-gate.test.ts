import type { McpError } from "@tenon/mcp";
import { methodTables, type MethodInfo, type Revision } from "@tenon/protocol";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, everyRevision, legacyRevisions } from "./conversation.ts";
import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

type Row = readonly [method: string, info: MethodInfo];

/**
 * The requests of a revision that one side sends and the other must have declared a capability for.
 */
function gated(revision: Revision, sender: "client" | "server"): readonly Row[] {
  const receiver = sender === "client" ? "server" : "client";
  return Object.entries(methodTables[revision]).filter(
    ([, { kind, sentBy, embedded, requires }]) =>
      kind === "request" &&
      (sentBy === sender || sentBy === "either") &&
      embedded !== true &&
      requires?.[receiver] !== undefined,
  );
}

const nothing = { tools: false, prompts: false, resources: false, completions: false };

test.each(everyRevision)(
  "a server that declares nothing answers every method that requires a capability of it with -32601, in %s (R-120)",
  async (revision) => {
    const addAll = (server: Parameters<Parameters<typeof converse>[1]>[0]): void => {
      server.addTool({ name: "t" }, () => "");
      server.addPrompt({ name: "p", arguments: [{ name: "a" }], complete: { a: ["x"] } }, () => "");
      server.addResource({ uri: "notes://1", name: "one" }, () => "");
    };
    await using it = await converse(revision, addAll, { capabilities: nothing });
    const methods = gated(revision, "client");
    expect(methods.length).toBeGreaterThan(5);
    for (const [method] of methods) {
      const { error } = await it.call(method, { name: "p", uri: "notes://1", level: "info" });
      expect(error, method).toMatchObject({ code: -32601 });
    }
  },
);

test.each(everyRevision)(
  "a client refuses every request that requires a capability the server has not declared, and sends nothing, in %s (R-170)",
  async (revision) => {
    await using wire = await openServerWire(revision, {}, {});
    const methods = gated(revision, "client");
    for (const [method, { requires }] of methods) {
      const refusal = wire.session.request(method as "tools/list");
      await expect(refusal, method).rejects.toMatchObject({
        code: "CAPABILITY_MISSING",
        message: expect.stringContaining(`${method} requires the capability ${requires?.server},`),
      });
      expect(wire.session.offers(method)).toBe(false);
    }
    const listing = wire.session.ping();
    const { method } = await wire.answer({ resultType: "complete" });
    expect(["ping", "server/discover"]).toContain(method);
    await listing;
  },
);

test.each(everyRevision)(
  "a lenient client sends it all the same, and warns once of each method, in %s",
  async (revision) => {
    const warnings: unknown[] = [];
    const onError = (warning: unknown): void => void warnings.push(warning);
    await using wire = await openServerWire(revision, { strictness: "lenient", onError }, {});
    for (let round = 0; round < 2; round++) {
      const asked = wire.session.listTools();
      await wire.answer({ resultType: "complete", tools: [] });
      expect(await asked).toMatchObject({ tools: [] });
    }
    expect(warnings).toHaveLength(1);
    const [warning] = warnings as [McpError];
    expect(warning).toMatchObject({ code: "TOLERATED", cause: { code: "CAPABILITY_MISSING" } });
    expect(warning.message).toContain("undeclaredServerCapability");
  },
);

test.each(legacyRevisions)(
  "a server refuses to send a client what it has not declared, in %s (R-170, R-602)",
  async (revision) => {
    await using it = await converse(revision, () => {});
    const [session] = it.server.sessions();
    const methods = gated(revision, "server");
    expect(methods.length).toBeGreaterThan(1);
    for (const [method] of methods) {
      await expect(session?.request(method), method).rejects.toMatchObject({
        code: "CAPABILITY_MISSING",
        message: expect.stringContaining(method),
      });
    }
    const ping = session?.request("ping");
    expect(await it.next()).toMatchObject({ method: "ping" });
    await it.wire.server.close({ drainMs: 0 });
    await expect(ping).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  },
);

test("a capability counts with the value that says so: listChanged: false and a missing member are not declared (T-79)", async () => {
  await using wire = await openServerWire(legacyRevision, {}, { resources: { listChanged: false } });
  expect(wire.session.offers("resources/list")).toBe(true);
  expect(wire.session.offers("resources/subscribe")).toBe(false);
  expect(wire.session.offers("notifications/resources/list_changed")).toBe(false);
  expect(wire.session.offers("no/such")).toBe(false);
  expect(wire.session.offers("toString")).toBe(false);
});

test("what a legacy client was told in initialize holds for its session, although all of it was taken away", async () => {
  await using it = await converse(legacyRevision, (server) => server.addPrompt({ name: "p" }, () => ""));
  it.server.removePrompts("p");
  expect(await it.call("prompts/list")).toMatchObject({ result: { prompts: [] } });
  await using fresh = await converse(legacyRevision, () => {});
  expect(await fresh.call("prompts/list")).toMatchObject({ error: { code: -32601 } });
});

test("2024-11-05 has no capability for completions, so they are not gated there; hidden ones are not there at all (R-556)", async () => {
  const params = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } };
  const add = (server: Parameters<Parameters<typeof converse>[1]>[0]): void =>
    server.addPrompt({ name: "p", arguments: [{ name: "a" }] }, () => "");
  await using it = await converse("2024-11-05", add);
  expect(await it.call("completion/complete", params)).toMatchObject({
    result: { completion: { values: [] } },
  });
  await using later = await converse("2025-03-26", add);
  expect(await later.call("completion/complete", params)).toMatchObject({ error: { code: -32601 } });
  await using hidden = await converse("2024-11-05", add, { capabilities: { completions: false } });
  expect(await hidden.call("completion/complete", params)).toMatchObject({ error: { code: -32601 } });
});

test("middleware does not see what is refused", async () => {
  const seen: string[] = [];
  await using pair = await connectPair({ client: { strictness: "lenient" } }, (server) => {
    server.addReceivingMiddleware((next) => (request) => {
      seen.push(request.method);
      return next(request);
    });
  });
  await expect(pair.session.listPrompts()).rejects.toMatchObject({ code: -32601 });
  await pair.session.listTools();
  expect(seen).not.toContain("prompts/list");
  expect(seen).toContain("tools/list");
});
