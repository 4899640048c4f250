import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Connection, Request } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import { eraOf, methodTables, revisions, type MethodInfo, type Revision } from "@tenon/protocol";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

const methodNotFound = { error: { code: -32601 } };

type Row = readonly [method: string, info: MethodInfo];

function rows(revision: Revision, kind: MethodInfo["kind"], receiver: "client" | "server"): readonly Row[] {
  const sender = receiver === "client" ? "server" : "client";
  return Object.entries(methodTables[revision]).filter(
    ([, info]) => info.kind === kind && (info.sentBy === sender || info.sentBy === "either"),
  );
}

/** Sends a request, and returns the next message: the response, or what precedes it. */
async function ask(connection: Connection, method: string, params: object, id: number): Promise<unknown> {
  await connection.write({ jsonrpc: "2.0", id, method, params });
  return connection.read();
}

const clientInfo = { name: "client", version: "1.0.0" };

/** The requests that a server offering everything does not know. */
async function unknownToServer(revision: Revision): Promise<readonly string[]> {
  const unknown: string[] = [];
  const isModern = eraOf(revision) === "modern";
  for (const [method] of rows(revision, "request", "server")) {
    await using engine = createTaskEngine();
    const server = new Server(
      { name: "server", version: "1.0.0" },
      {
        capabilities: { tools: true, prompts: true, resources: true },
        logging: {},
        onComplete: () => [],
        onSubscribe: () => {},
        onUnsubscribe: () => {},
      },
    );
    server.use(tasks({ engine, owner: () => "ada" }));
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const connection = await here.connect();
    if (!isModern && method !== "initialize") {
      await ask(connection, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo }, 0);
    }
    const meta = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    const params = { uri: "file:///a", notifications: {}, ...(isModern ? meta : {}) };
    if (matches(await ask(connection, method, params, 1))) {
      unknown.push(method);
    }
    await server.close({ drainMs: 0 });
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
    await using engine = createTaskEngine();
    client.use(taskClient({ engine }));
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

const sources = ["../src", "../../mcp/src"]
  .map((folder) => join(import.meta.dirname, folder))
  .flatMap((src) =>
    readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(src, file), "utf8")),
  )
  .join("\n");

test("client and server bind every method of every revision (S-001)", async () => {
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
  expect([...new Set(found)]).toEqual([]);
});
