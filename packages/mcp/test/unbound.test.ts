import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Request } from "@tenon/jsonrpc2";
import { Client } from "@tenon/mcp";
import { eraOf, methodTables, revisions, type MethodInfo, type Revision } from "@tenon/protocol";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import unbound from "./unbound-methods.json" with { type: "json" };
import { initialize, modern, openWire, request } from "./wire.ts";

const methodNotFound = { error: { code: -32601 } };

type Row = readonly [method: string, info: MethodInfo];

function rows(revision: Revision, kind: MethodInfo["kind"], receiver: "client" | "server"): readonly Row[] {
  const sender = receiver === "client" ? "server" : "client";
  return Object.entries(methodTables[revision]).filter(
    ([, info]) => info.kind === kind && (info.sentBy === sender || info.sentBy === "either"),
  );
}

/** The requests that a server offering everything does not know. */
async function unknownToServer(revision: Revision): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const [method] of rows(revision, "request", "server")) {
    await using wire = await openWire({
      capabilities: { tools: true, prompts: true, resources: true },
      logging: {},
      onComplete: () => [],
      onSubscribe: () => {},
      onUnsubscribe: () => {},
    });
    if (eraOf(revision) === "legacy" && method !== "initialize") {
      await wire.ask(initialize(revision));
    }
    const meta = eraOf(revision) === "modern" ? { _meta: modern } : {};
    const answer = await wire.ask(request(1, method, { uri: "file:///a", notifications: {}, ...meta }));
    if (matches(answer)) {
      unknown.push(method);
    }
  }
  return unknown;
}

/**
 * The requests that a client with every handler does not know. In the modern era they come inside
 * of results.
 */
async function unknownToClient(revision: Revision): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const [method] of rows(revision, "request", "client").filter(([, info]) => info.embedded !== true)) {
    const [here, there] = createInMemoryTransports();
    const connection = await there.connect();
    const client = new Client(
      { name: "client", version: "1.0.0" },
      {
        revisions: [revision],
        roots: [],
        sampling: {
          createMessage: () => ({ role: "assistant", content: { type: "text", text: "" }, model: "m" }),
        },
        elicitation: { form: () => ({ action: "cancel" }), url: () => ({ action: "cancel" }) },
      },
    );
    const connecting = client.connect(here);
    const { id } = (await connection.read()) as Request;
    const result = { protocolVersion: revision, capabilities: {}, serverInfo: { name: "s", version: "1" } };
    await connection.write({ jsonrpc: "2.0", id, result });
    await connecting;
    await connection.read();
    await connection.write({ jsonrpc: "2.0", id: 1, method, params: {} });
    if (matches(await connection.read())) {
      unknown.push(method);
    }
    await client.close();
  }
  return unknown;
}

function matches(answer: unknown): boolean {
  try {
    expect(answer).toMatchObject(methodNotFound);
    return true;
  } catch {
    return false;
  }
}

const src = join(import.meta.dirname, "../src");
const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join(src, file), "utf8"))
  .join("\n");

test("what client and server do not bind yet is exactly the list, which may only shrink (S-001)", async () => {
  const found: string[] = [];
  for (const revision of revisions) {
    for (const method of [...(await unknownToServer(revision)), ...(await unknownToClient(revision))]) {
      found.push(`${revision} ${method}`);
    }
    const notifications = Object.entries(methodTables[revision]).filter(
      ([, { kind }]) => kind === "notification",
    );
    for (const [method] of notifications) {
      if (!sources.includes(`"${method}"`)) {
        found.push(`${revision} ${method}`);
      }
    }
  }
  expect([...new Set(found)].toSorted()).toEqual(unbound);
});
