import type { Connection, Transport } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";
import { modern, openWire, request } from "./wire.ts";

/** A transport that connects only after `signal` has fired, as one that does not look at it. */
function deaf(inner: Transport, controller: AbortController): Transport {
  return {
    async connect(): Promise<Connection> {
      const connection = await inner.connect();
      controller.abort(new Error("enough"));
      return connection;
    },
  };
}

test("a modern client answers neither garbage nor batches (R-256)", async () => {
  await using wire = await openServerWire(modernRevision, {});
  await wire.send({ strange: true });
  const listing = wire.session.listTools();
  expect((await wire.next()).method).toBe("tools/list");
  await wire.client.close();
  await expect(listing).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("an abort while the transport connects ends the attempt, also with what was agreed on before", async () => {
  for (const prior of [undefined, { revision: modernRevision, capabilities: {} } as const]) {
    const controller = new AbortController();
    const [here] = createInMemoryTransports();
    const client = new Client({ name: "client", version: "1.0.0" });
    const connecting = client.connect(deaf(here, controller), { signal: controller.signal, prior });
    await expect(connecting).rejects.toThrow("enough");
    expect([...client.sessions()]).toEqual([]);
  }
});

test("a server that is told to stop while it connects does not run", async () => {
  const controller = new AbortController();
  const [here] = createInMemoryTransports();
  await new Server({ name: "s", version: "1" }).run(deaf(here, controller), { signal: controller.signal });
  expect(controller.signal.aborted).toBe(true);
});

test("when a transport cannot connect twice, what went wrong first is what is reported", async () => {
  const [here, there] = createInMemoryTransports();
  const connection = await there.connect();
  void connection.read().then(() => connection.close());
  await expect(new Client({ name: "c", version: "1" }).connect(here)).rejects.toMatchObject({
    code: "CONNECTION_CLOSED",
  });
});

test("progress after the end of its request is dropped, and middleware cannot make it go back (R-432)", async () => {
  let late: () => Promise<void> = () => Promise.resolve();
  await using pair = await connectPair({}, (server) => {
    server.addReceivingMiddleware((next) => async (received) => {
      await received.progress(5);
      return next(received.with({ params: received.params }));
    });
    server.addTool({ name: "t" }, async (_, context) => {
      await context.progress(1);
      late = () => context.progress(9);
      return "";
    });
  });
  const seen: number[] = [];
  await pair.session.callTool({ name: "t" }, { onProgress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual([5]);
  await expect(late()).resolves.toBeUndefined();
});

test("a handler may return any thenable, and what JSON lacks is a failure of the tool", async () => {
  await using pair = await connectPair({}, (server) => {
    server.addTool(
      { name: "query" },
      () => ({ then: (resolve: (value: string) => void) => resolve("rows") }) as never,
    );
    server.addTool({ name: "function" }, () => () => {});
    const article = { content: ["a", "b"], author: "c" };
    server.addTool({ name: "data", output: { type: "object" } }, () => article);
    server.addTool({ name: "guessed" }, () => article as never);
  });
  const { session } = pair;
  expect((await session.callTool({ name: "query" })).content).toEqual([{ type: "text", text: "rows" }]);
  expect(await session.callTool({ name: "function" })).toMatchObject({ isError: true });
  expect(await session.callTool({ name: "data" })).toMatchObject({
    structuredContent: { content: ["a", "b"], author: "c" },
  });
  expect(await session.callTool({ name: "guessed" })).toMatchObject({ isError: true });
});

test("an onError that throws does not change what is answered", async () => {
  await using wire = await openWire({
    onError: () => {
      throw new Error("no disk");
    },
  });
  const params = { name: "fail", arguments: {}, _meta: modern };
  expect(await wire.ask(request(1, "tools/call", params))).toMatchObject({ result: { isError: true } });
});

test("sending middleware is built once, so that it may count", async () => {
  await using pair = await connectPair({}, (server) => server.addTool({ name: "t" }, () => ""));
  let built = 0;
  let sent = 0;
  pair.client.addSendingMiddleware((next) => {
    built++;
    return (call) => {
      sent++;
      return next({ ...call });
    };
  });
  await pair.session.callTool({ name: "t" });
  await pair.session.callTool({ name: "t" });
  expect([built, sent]).toEqual([1, 2]);
});

test("a page may end with a long key (R-568)", async () => {
  await using pair = await connectPair({ server: { limits: { pageSize: 1 } } }, (server) => {
    for (const letter of ["a", "b"]) {
      server.addResource({ uri: `data:${letter.repeat(5000)}`, name: letter }, () => "");
    }
  });
  const names: string[] = [];
  for await (const { name } of pair.session.resources()) {
    names.push(name);
  }
  expect(names).toEqual(["a", "b"]);
});
