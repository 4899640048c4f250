import { expect, test } from "vitest";

import { isLocalError, Peer } from "../src/index.ts";
import { createScriptedPeer } from "../src/testing.ts";
import { request } from "./helpers.ts";

test("onUnsent gets the request and the response that was not sent, in place of onError", async () => {
  const other = createScriptedPeer();
  const unsent: unknown[] = [];
  await using _peer = new Peer(other.connection, {
    handler: () => 1n,
    onUnsent: ({ method }, response, error) => {
      unsent.push([method, response, isLocalError(error, "NOT_SERIALIZABLE")]);
    },
    onError: () => expect.fail("It was called."),
  });
  other.send(request(1));
  expect(await other.next()).toMatchObject({ error: { code: -32_603 } });
  expect(unsent).toEqual([["m", { jsonrpc: "2.0", id: 1, result: 1n }, true]]);
});

test("the object that onUnsent returns is sent in place of the result, once", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, {
    handler: ({ method }) => (method === "m" ? 1n : 2n),
    onUnsent: ({ method }) => (method === "m" ? { instead: true } : { instead: 3n }),
  });
  other.send(request(1));
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: { instead: true } });
  other.send({ ...request(2), method: "n" });
  expect(await other.next()).toMatchObject({ id: 2, error: { code: -32_603 } });
});
