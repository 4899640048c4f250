import { compose, type ComposedSource } from "@tenon/compose";
import { Manager } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server, type ServerSession } from "@tenon/mcp";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { serving } from "./serving.ts";

/** A modern server that asks for a name, a new one for each connection, as a program is. */
function program(): { readonly transport: () => Transport; crash(): Promise<void> } {
  let session: ServerSession | undefined;
  return {
    transport: () => ({
      async connect(options) {
        const server = new Server(
          { name: "asker", version: "1.0.0" },
          {
            revisions: [modernRevision],
            onError: () => {},
            interaction: { stateKeys: [{ id: "own", secret: crypto.randomUUID() }] },
          },
        );
        server.addTool({ name: "ask" }, async (_, context) => {
          const answer = await context.elicit({
            message: "Who?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } } },
          });
          return answer.action;
        });
        const [here, there] = createInMemoryTransports();
        session = await server.connect(there);
        return here.connect(options);
      },
    }),
    crash: async () => session?.close({ drainMs: 0 }),
  };
}

const kinds: Readonly<Record<string, (transport: () => Transport) => Promise<ComposedSource>>> = {
  "a function": (transport) => Promise.resolve(transport),
  "a manager": async (transport) => {
    const manager = new Manager({
      servers: { b: { type: "custom", transport } },
      reconnect: { initialDelayMs: 1 },
    });
    onTestFinished(() => manager.close());
    await manager.connectAll();
    return manager;
  },
};

test.each(Object.keys(kinds))(
  "a modern server of %s that restarts while the user fills in its form is named as the reason",
  async (kind) => {
    const { transport, crash } = program();
    const reports: string[] = [];
    const composed = compose(
      { a: (await kinds[kind]?.(transport)) as ComposedSource },
      { onError: (error, from) => reports.push(`${from}: ${String(error)}`) },
    );
    const session = await serving(composed)("ann");
    const { tools } = await session.listTools();
    const name = tools[0]?.name ?? "";
    const asked = await session.callTool({ name }, { autoFulfil: false });
    const { requestState = "", inputRequests = {} } = asked as {
      readonly requestState?: string;
      readonly inputRequests?: object;
    };
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: "decline" }]),
    );
    await crash();
    await session.listTools();
    const again = { name, requestState, inputResponses } as never;
    const source = kind === "a manager" ? "a-b" : "a";
    await expect(session.callTool(again, { autoFulfil: false })).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining(
        `The server ${source} has restarted since it requested input`,
      ) as string,
      data: { reason: "call-lost", delivered: "maybe" },
    });
    expect(reports.join()).toContain(`${source}: `);
  },
);

test.each(bothEras)(
  "results name the composition as their server, or no server, for clients of %s",
  async (front) => {
    const composed = compose({ a: program().transport }, { name: "gateway", onError: () => {} });
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { revisions: [front], elicitation: { form: () => ({ action: "decline" }) } },
    );
    const session = await client.connect(here);
    const { _meta: meta } = await session.callTool({ name: "mcp__a__ask" });
    expect(JSON.stringify(meta ?? {})).not.toContain("asker");
    expect(JSON.stringify(meta ?? {}).includes("gateway")).toBe(front === modernRevision);
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  },
);
