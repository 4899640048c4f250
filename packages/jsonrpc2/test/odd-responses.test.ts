import { describe, expect, test } from "vitest";

import { decode } from "../src/decode.ts";
import { Peer } from "../src/index.ts";
import { createScriptedPeer } from "../src/testing.ts";
import { note, rejectionOf } from "./helpers.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

describe("no call waits for its timeout if its response is not valid", () => {
  test.each<[string, (id: number) => Uint8Array, string]>([
    ["without a payload", (id) => bytes(`{"jsonrpc":"2.0","id":${id}}`), '"result" or "error"'],
    ["in Windows-1252", (id) => latin1(`{"jsonrpc":"2.0","id":${id},"result":"é"}`), "not valid UTF-8"],
    [
      "with a text as its error",
      (id) => bytes(`{"jsonrpc":"2.0","id":${id},"error":"no"}`),
      '"error" must have',
    ],
    ["without a version", (id) => bytes(`{"id":${id},"result":{}}`), '"jsonrpc" must be "2.0"'],
  ])("a response %s rejects its call", async (_, frame, message) => {
    const other = createScriptedPeer();
    await using peer = new Peer(other.connection, { onUnexpected: () => {} });
    const call = rejectionOf(peer.call("a"));
    const { id } = await other.nextRequest();
    other.send(decode(frame(id as number)));
    expect(await call).toMatchObject({ code: "INVALID_STATE" });
    expect(String(await call)).toContain(message);
  });
});

test("a whole number with a decimal point is the ID of a response, and not that of a request", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  const call = peer.call("a");
  const { id } = await other.nextRequest();
  other.send(decode(`{"jsonrpc":"2.0","id":${String(id)}.0,"result":{"ok":true}}`));
  expect(await call).toEqual({ ok: true });
  expect(decode('{"jsonrpc":"2.0","id":1.0,"method":"a"}')).toHaveProperty("malformed");
  expect(decode('{"jsonrpc":"2.0","id":1.5,"result":{}}')).toHaveProperty("malformed");
});

test("a message with only an ID that no call has is refused with this ID", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, { onUnexpected: () => {} });
  other.send(decode('{"jsonrpc":"2.0","id":7}'));
  expect(await other.next()).toMatchObject({ id: 7, error: { code: -32_600 } });
});

test("a batch of responses settles its calls although batches are not allowed", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  const call = peer.call("a");
  const { id } = await other.nextRequest();
  other.send({ batch: [{ jsonrpc: "2.0", id, result: "a" }] });
  expect(await call).toBe("a");
  expect(other.received).toHaveLength(1);
  const second = peer.call("b");
  const { id: secondId } = await other.nextRequest();
  other.send({ batch: [note("n"), { jsonrpc: "2.0", id: secondId, result: "b" }] });
  expect(await second).toBe("b");
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
});
