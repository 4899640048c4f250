import { compose, type ComposedSource } from "@tenon/compose";
import { Manager } from "@tenon/host";
import { nodeTransports } from "@tenon/host/node";
import { Client, Server } from "@tenon/mcp";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { CommandTransport } from "@tenon/transports-stdio";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

const secret = "postgres://admin:hunter2@db.internal/prod refused the connection";
/** A legacy server that prints a secret and exits when its tool is called. */
const source = `
import { createInterface } from "node:readline";
const results = {
  initialize: { protocolVersion: ${JSON.stringify(legacyRevision)}, capabilities: { tools: {} }, serverInfo: { name: "dying", version: "1.0.0" } },
  "tools/list": { tools: [{ name: "die", inputSchema: { type: "object" } }] },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === "tools/call") {
    process.stderr.write(${JSON.stringify(secret)} + "\\n", () => process.exit(3));
  } else if (id !== undefined) {
    const result = results[method];
    const error = { code: -32601, message: "Method not found" };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
  }
}`;
const program = { command: process.execPath, args: ["--input-type=module", "--eval", source] };
const transport = (): CommandTransport => new CommandTransport({ ...program, stderr: () => {} });

const kinds: Readonly<Record<string, () => ComposedSource | Promise<ComposedSource>>> = {
  "a function": () => transport,
  "a transport": () => transport(),
  "a session": () => new Client({ name: "own", version: "1.0.0" }).connect(transport()),
  "a manager": async () => {
    const manager = new Manager({
      servers: { b: { type: "stdio", ...program } },
      transports: nodeTransports(),
      logger: { warn: () => {} },
    });
    onTestFinished(() => manager.close());
    await manager.connectAll();
    return manager;
  },
};

/** Calls the only tool of a source. @returns The error, and what `onError` got. */
async function failing(
  given: ComposedSource,
  revision: (typeof bothEras)[number],
): Promise<{ readonly error: unknown; readonly reports: readonly string[] }> {
  const reports: string[] = [];
  const composed = compose(
    { a: given },
    { onError: (error, from) => reports.push(`${from}: ${String(error)}`) },
  );
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const client = new Client({ name: "bob", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  const { tools } = await session.listTools();
  const error: unknown = await session.callTool({ name: tools[0]?.name ?? "" }).catch((e: unknown) => e);
  return { error, reports };
}

test.each(Object.keys(kinds).flatMap((kind) => bothEras.map((front) => [kind, front] as const)))(
  "the last words of a program behind %s reach the operator, and no client of %s",
  async (kind, front) => {
    const { error, reports } = await failing((await kinds[kind]?.()) as ComposedSource, front);
    const name = kind === "a manager" ? "a-b" : "a";
    expect(error).toMatchObject({
      code: -32_603,
      message: `The server ${name} ended, or its connection was lost, before it responded. The call may have had effects: check that before you send it again.`,
      data: { reason: "call-lost", delivered: "maybe" },
    });
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain(secret);
    expect(reports[0]).toMatch(new RegExp(`^${name}: `));
  },
);

test.each(bothEras)(
  "a remote server that refuses connections got no call, and clients of %s read no address",
  async (front) => {
    const behind = new Server({ name: "far", version: "1.0.0" });
    behind.addTool({ name: "run" }, () => "done");
    const { url, kill } = await remote(behind);
    const reports: string[] = [];
    const composed = compose(
      { far: () => new StreamableClientTransport(url), own: new Server({ name: "own", version: "1.0.0" }) },
      { onError: (error) => reports.push(String(error)) },
    );
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const client = new Client({ name: "bob", version: "1.0.0" }, { revisions: [front] });
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await composed.close({ drainMs: 0 });
    });
    const call = async (): Promise<unknown> => session.callTool({ name: "mcp__far__run" });
    await call();
    await kill();
    // It may leave on a connection that was kept alive.
    const first: unknown = await call().catch((error: unknown) => error);
    expect(String(first)).toContain("The server far");
    expect(String(first)).not.toContain("127.0.0.1");
    await expect(call()).rejects.toMatchObject({
      code: -32_603,
      message: "The server far cannot be reached.",
      data: { reason: "not-sent", delivered: "no" },
    });
    expect(reports.join("\n")).toContain("ECONNREFUSED");
  },
);

test("a completion, a prompt and a resource of a server that is gone tell no client why", async () => {
  const behind = new Server({ name: "far", version: "1.0.0" }, { onError: () => {} });
  behind.addPrompt({ name: "p" }, () => {
    throw new Error(secret);
  });
  behind.addResource({ uri: "notes://1", name: "one" }, () => {
    throw new Error(secret);
  });
  const reports: unknown[] = [];
  const composed = compose({ a: behind }, { onError: (error) => reports.push(error) });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const session = await new Client({ name: "bob", version: "1.0.0" }).connect(here);
  const direct = await new Client({ name: "bob", version: "1.0.0" }).connect(
    await (async () => {
      const [near, far] = createInMemoryTransports();
      await behind.connect(far);
      return near;
    })(),
  );
  for (const each of [session, direct]) {
    const name = each === session ? "mcp__a__p" : "p";
    const errors = await Promise.all([
      each.getPrompt({ name }).catch((e: unknown) => e),
      each.readResource({ uri: "notes://1" }).catch((e: unknown) => e),
    ]);
    expect(errors.map(String).join("\n")).not.toContain("hunter2");
    await each.close({ drainMs: 0 });
  }
  expect(reports.map(String).join("\n")).toContain("hunter2");
  await composed.close({ drainMs: 0 });
});
