import { expect, test } from "vitest";

import { decode } from "../src/decode.ts";
import { LocalError, Peer, type Connection } from "../src/index.ts";
import { createScriptedPeer } from "../src/testing.ts";
import { deferred, note, request, settled } from "./helpers.ts";

test("batches are refused unless allowed at that moment (R-399)", async () => {
  const other = createScriptedPeer();
  let allowed = false;
  await using _peer = new Peer(other.connection, { batches: () => allowed, handler: () => "ok" });
  other.send({ batch: [request(1)] });
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  allowed = true;
  other.send({ batch: [request(1)] });
  expect(await other.next()).toEqual([{ jsonrpc: "2.0", id: 1, result: "ok" }]);
});

test("the answers to a batch come together when the last one is in; notifications and bad members count as they must", async () => {
  const other = createScriptedPeer();
  const gate = deferred<string>();
  const seen: string[] = [];
  await using _peer = new Peer(other.connection, {
    batches: () => true,
    handler({ id, method }) {
      seen.push(method);
      return id === 2 ? gate.promise : `answer ${String(id)}`;
    },
  });
  other.send(decode(JSON.stringify([request(1), note("n"), 7, request(2), request(3)])), request(4));
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 4, result: "answer 4" });
  gate.resolve("slow");
  const answers = (await other.next()) as unknown[];
  expect(answers).toHaveLength(4);
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: 2, result: "slow" });
  expect(answers).toContainEqual(
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) as unknown }),
  );
  expect(seen).toContain("n");
});

test("a batch of notifications is not answered; one of responses settles its calls", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection, { batches: () => true, handler: () => {} });
  const calls = [peer.call("a"), peer.call("b")];
  const [a, b] = [await other.nextRequest(), await other.nextRequest()];
  other.send({ batch: [note("n"), note("n")] });
  other.send({
    batch: [
      { jsonrpc: "2.0", id: b.id, result: "b" },
      { jsonrpc: "2.0", id: a.id, result: "a" },
    ],
  });
  expect(await Promise.all(calls)).toEqual(["a", "b"]);
  await settled();
  expect(other.received).toHaveLength(2);
});

test("a cancelled member is left out of the answer, and the batch does not wait for it", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection, {
    batches: () => true,
    handler: ({ id }) => (id === 1 ? new Promise(() => {}) : "ok"),
    limits: { drainMs: 0 },
  });
  other.send({ batch: [request(1), request(2)] });
  await settled();
  peer.cancel(1);
  expect(await other.next()).toEqual([{ jsonrpc: "2.0", id: 2, result: "ok" }]);
});

test("an answer in a batch that JSON cannot carry does not take the others with it", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, {
    batches: () => true,
    handler: ({ id }) => (id === 1 ? 1n : "ok"),
  });
  other.send({ batch: [request(1), request(2)] });
  expect(await other.next()).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32_603, message: "Internal error" } },
    { jsonrpc: "2.0", id: 2, result: "ok" },
  ]);
});

test("no answer is lost when a batch uses an id twice (T-013)", async () => {
  const other = createScriptedPeer();
  const gate = deferred<string>();
  await using _peer = new Peer(other.connection, { batches: () => true, handler: () => gate.promise });
  other.send({ batch: [request(1), request(1)] });
  await settled();
  gate.resolve("ok");
  expect(await other.next()).toEqual([
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) as unknown }),
    { jsonrpc: "2.0", id: 1, result: "ok" },
  ]);
});

test("a batch of responses that the transport finds too large is sent without its results", async () => {
  const other = createScriptedPeer();
  const { connection } = other;
  const limited: Connection = {
    ...connection,
    read: () => connection.read(),
    close: () => connection.close(),
    write: (message, options) =>
      JSON.stringify(message).includes("large")
        ? Promise.reject(new LocalError("LIMIT_EXCEEDED", "too large"))
        : connection.write(message, options),
  };
  await using _peer = new Peer(limited, { batches: () => true, handler: () => "large", onError: () => {} });
  other.send({ batch: [request(1), request(2)] });
  expect(await other.next()).toMatchObject([
    { id: 1, error: { code: -32603 } },
    { id: 2, error: { code: -32603 } },
  ]);
});
