import { expect, test } from "vitest";

import { Peer } from "../src/index.ts";
import { createScriptedPeer } from "../src/testing.ts";
import { cancellation, deferred, rejectionOf, request } from "./helpers.ts";

test("an error without an ID that follows a refused or a cancelled message is not the response to a pending call", async () => {
  const other = createScriptedPeer();
  const released = deferred<string>();
  await using peer = new Peer(other.connection, { cancellation, handler: () => released.promise });
  const pending = peer.call("slow");
  const { id } = (await other.next()) as { id: number };
  const first = peer.call("first");
  const { id: firstId } = (await other.next()) as { id: number };
  other.send(request("a"), request("a"));
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  other.send({ jsonrpc: "2.0", id: firstId, result: {} });
  await first;
  const error = { code: -32_601, message: "Method not found" };
  other.send({ jsonrpc: "2.0", id: null, error } as never);
  const stop = new AbortController();
  const abandoned = rejectionOf(peer.call("other", undefined, { signal: stop.signal }));
  await other.next();
  stop.abort();
  await abandoned;
  expect(await other.next()).toMatchObject({ method: "cancelled" });
  other.send({ jsonrpc: "2.0", id: null, error } as never);
  other.send({ jsonrpc: "2.0", id, result: { ok: true } });
  released.resolve("");
  expect(await pending).toEqual({ ok: true });
});
