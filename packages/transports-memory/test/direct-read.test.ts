import { Peer, type Connection, type Incoming } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { createInMemoryTransports, type InMemoryOptions } from "../src/index.ts";

async function connect(options?: InMemoryOptions): Promise<[Connection, Connection]> {
  const [left, right] = createInMemoryTransports(options);
  return [await left.connect(), await right.connect()];
}

test("a peer gets what was written in order, however much of it waits for room", async () => {
  const [left, right] = await connect({ limits: { maxQueued: 4 } });
  const seen: unknown[] = [];
  const server = new Peer(right, {
    handler: ({ params }) => {
      seen.push(params);
    },
  });
  const client = new Peer(left);
  const sent = Array.from({ length: 3000 }, (_, n) => ({ n }));
  await Promise.all(sent.map((params) => client.notify("note", params)));
  await client.call("last", { n: 3000 });
  expect(seen).toEqual([...sent, { n: 3000 }]);
  await Promise.all([client.close(), server.close()]);
});

test("a message reaches the peer after the code that wrote it has gone on, and before its next turn", async () => {
  const [left, right] = await connect();
  const steps: string[] = [];
  const server = new Peer(right, { handler: () => void steps.push("handled") });
  void left.write({ jsonrpc: "2.0", method: "note" });
  steps.push("written");
  await new Promise(setImmediate);
  expect(steps).toEqual(["written", "handled"]);
  await server.close();
});

test.each([
  ["a copy", (connection: Connection, read: Connection["read"]): Connection => ({ ...connection, read })],
  [
    "an heir",
    (connection: Connection, read: Connection["read"]): Connection =>
      Object.assign(Object.create(connection) as Connection, { read }),
  ],
  [
    "the connection itself",
    (connection: Connection, read: Connection["read"]): Connection => Object.assign(connection, { read }),
  ],
])("%s with a read of its own sees every message of its peer", async (_, wrap) => {
  const [left, right] = await connect();
  const seen: unknown[] = [];
  const read = right.read.bind(right);
  const watched = wrap(right, async () => {
    const incoming: Incoming | undefined = await read();
    seen.push(incoming === undefined ? "end" : "message");
    return incoming;
  });
  const server = new Peer(watched, { handler: () => "answer" });
  const client = new Peer(left);
  expect(await client.call("ask")).toBe("answer");
  await client.close();
  await server.closed;
  expect(seen).toEqual(["message", "end"]);
});

test("a peer whose other side closes at once still gets what was written before", async () => {
  const [left, right] = await connect();
  const seen: string[] = [];
  const server = new Peer(right, { handler: ({ method }) => void seen.push(method) });
  void left.write({ jsonrpc: "2.0", method: "first" });
  void left.write({ jsonrpc: "2.0", method: "second" });
  await left.close();
  await server.closed;
  expect(seen).toEqual(["first", "second"]);
});
