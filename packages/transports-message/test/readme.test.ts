import { once } from "node:events";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";

import { Peer } from "@tenon/jsonrpc2";
import { compiledProgram } from "@tenon/test-support/processes";
import { broadcastTransport, listenOnBroadcast, portTransport } from "@tenon/transports-message";
import { expect, test } from "vitest";

test("the thread of the README answers", async () => {
  const program = await compiledProgram(new URL("fixtures/echo.ts", import.meta.url));
  // #region thread
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(program, { workerData: { port: port2 }, transferList: [port2] });
  await using client = new Peer(await portTransport(port1).connect());
  const answer = await client.call("echo", { a: 1 });
  // #endregion thread
  expect(answer).toEqual({ a: 1 });
  const ended = once(worker, "exit");
  await client.close();
  await ended;
});

test("the server of the README answers", async () => {
  const channel = new MessageChannel();
  const workerData: unknown = { port: channel.port2 };
  // #region serve
  const { port } = workerData as { port: MessagePort };
  const server = new Peer(await portTransport(port).connect(), { handler: ({ params }) => params });
  // #endregion serve
  await using client = new Peer(await portTransport(channel.port1).connect());
  expect(await client.call("echo", [1])).toEqual([1]);
  await server.close();
});

test("the server and the client of the README talk over a channel", async () => {
  // #region broadcast
  await using _listener = listenOnBroadcast("notes", {
    onConnection: async (transport) =>
      new Peer(await transport.connect(), { handler: ({ params }) => params }),
  });
  // In another tab or worker:
  await using client = new Peer(await broadcastTransport("notes").connect());
  const answer = await client.call("echo", { a: 1 });
  // #endregion broadcast
  expect(answer).toEqual({ a: 1 });
});
