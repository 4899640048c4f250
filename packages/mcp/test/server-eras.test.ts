import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { initialize, modern, openWire, request } from "./wire.ts";

const legacyRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

test.each(legacyRevisions)(
  "initialize in revision %s is answered with the same revision (R-162)",
  async (revision) => {
    await using wire = await openWire({ instructions: "Be exact." });
    expect(await wire.ask(initialize(revision))).toEqual({
      jsonrpc: "2.0",
      id: "init",
      result: {
        protocolVersion: revision,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "wire-server", version: "1.0.0" },
        instructions: "Be exact.",
      },
    });
  },
);

test.each(["2023-01-01", modernRevision, "2099-01-01"])(
  "initialize with %s is answered with the newest legacy revision (R-162, R-225)",
  async (revision) => {
    await using wire = await openWire();
    expect(await wire.ask(initialize(revision))).toMatchObject({
      result: { protocolVersion: legacyRevision },
    });
  },
);

test("a server without legacy revisions refuses initialize and names what it speaks", async () => {
  await using wire = await openWire({ revisions: [modernRevision] });
  expect(await wire.ask(initialize(legacyRevision))).toMatchObject({
    error: { code: -32602, data: { supported: [modernRevision] } },
  });
});

test("server/discover lists exactly the modern revisions that are served (R-193, R-195, R-197, R-575)", async () => {
  await using wire = await openWire({ instructions: "Be exact." });
  expect(await wire.ask(request(1, "server/discover", { _meta: modern }))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: {
      resultType: "complete",
      supportedVersions: [modernRevision],
      capabilities: { tools: { listChanged: true } },
      instructions: "Be exact.",
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "wire-server", version: "1.0.0" } },
    },
  });
});

test.each([legacyRevision, "2099-01-01"])(
  "a modern request that names %s is refused with -32022 and what is served (R-191, R-225)",
  async (version) => {
    await using wire = await openWire();
    const meta = { ...modern, "io.modelcontextprotocol/protocolVersion": version };
    expect(await wire.ask(request(1, "tools/list", { _meta: meta }))).toMatchObject({
      error: { code: -32022, data: { supported: [modernRevision], requested: version } },
    });
  },
);

test("a modern request without its capabilities is refused with -32602, one without its name is served (R-139)", async () => {
  await using wire = await openWire();
  const { "io.modelcontextprotocol/clientCapabilities": _, ...rest } = modern;
  expect(await wire.ask(request(1, "tools/list", { _meta: rest }))).toMatchObject({
    error: { code: -32602 },
  });
  expect(await wire.ask(request(2, "tools/list", { _meta: modern }))).toMatchObject({
    result: { resultType: "complete" },
  });
});

test("one connection serves both eras at once (R-210, R-211, T-87)", async () => {
  await using wire = await openWire();
  await wire.ask(initialize("2025-06-18"));
  const legacy = await wire.ask(request(1, "tools/list"));
  const inModern = await wire.ask(request(2, "tools/list", { _meta: modern }));
  expect(legacy).toMatchObject({ result: { tools: [{ name: "add" }, { name: "fail" }] } });
  expect(legacy).not.toHaveProperty("result.resultType");
  expect(inModern).toMatchObject({ result: { resultType: "complete", ttlMs: 0, cacheScope: "private" } });
});

test("before the handshake only ping is served; the rest is refused outside -32020 to -32022 (R-173)", async () => {
  await using wire = await openWire();
  expect(await wire.ask(request(1, "ping"))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  expect(await wire.ask(request(2, "tools/list"))).toMatchObject({ error: { code: -32600 } });
  expect(await wire.ask(initialize(legacyRevision))).toMatchObject({
    result: { protocolVersion: legacyRevision },
  });
  expect(await wire.ask(request(3, "tools/list"))).toMatchObject({ result: { tools: [{}, {}] } });
});

test("methods that a revision lacks are answered with -32601, in both eras (R-296, R-447)", async () => {
  await using wire = await openWire();
  await wire.ask(initialize(legacyRevision));
  for (const method of ["server/discover", "subscriptions/listen", "toString", "__proto__", "no/such"]) {
    expect(await wire.ask(request(method, method))).toMatchObject({ error: { code: -32601 } });
  }
  for (const method of ["ping", "initialize", "logging/setLevel", "elicitation/create"]) {
    expect(await wire.ask(request(method, method, { _meta: modern }))).toMatchObject({
      error: { code: -32601 },
    });
  }
});

test("a strict server refuses a second initialize, and the session goes on", async () => {
  await using wire = await openWire({ strictness: "strict" });
  await wire.ask(initialize("2025-11-25"));
  expect(await wire.ask(initialize("2025-06-18"))).toMatchObject({ error: { code: -32600 } });
  expect(await wire.ask(request(1, "ping"))).toMatchObject({ result: {} });
});

test("batches are served in 2025-03-26 and refused in every other revision (R-395, R-399)", async () => {
  for (const revision of legacyRevisions) {
    await using wire = await openWire();
    await wire.ask(initialize(revision));
    const answer = await wire.ask([request(1, "ping"), request(2, "no/such")]);
    if (revision === "2025-03-26") {
      expect(answer).toMatchObject({
        batch: [
          { id: 1, result: {} },
          { id: 2, error: { code: -32601 } },
        ],
      });
    } else {
      expect(answer).toMatchObject({ error: { code: -32600 } });
    }
  }
});

test("legacy clients hear once of tools that changed in one turn; modern ones are not told unasked (R-463, T-35)", async () => {
  await using wire = await openWire();
  await wire.ask(initialize(legacyRevision));
  await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
  await wire.ask(request(1, "ping"));
  wire.server.removeTools("fail", "nothing");
  wire.server.addTool({ name: "new" }, () => "");
  expect(await wire.next()).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  expect(await wire.ask(request(2, "ping"))).toMatchObject({ id: 2 });

  await using other = await openWire();
  await other.ask(request(1, "tools/list", { _meta: modern }));
  other.server.removeTools("fail");
  expect(await other.ask(request(2, "tools/list", { _meta: modern }))).toMatchObject({ id: 2 });
});
