import { expect, test } from "vitest";

import { badServer, json } from "./bad-server.ts";
import { peerOf } from "./raw-client.ts";

test("T-055: a server that dies mid-call rejects it, and the connection goes on with the next one", async () => {
  let die = true;
  await using server = await badServer(({ id }, response, request) => {
    if (die) {
      request.socket.destroy();
    } else {
      json(response, id, {});
    }
  });
  await using peer = await peerOf(server.url);
  await expect(peer.call("ping", {})).rejects.toMatchObject({ code: "NETWORK" });
  die = false;
  expect(await peer.call("ping", {})).toEqual({});
});

test("a reused socket that is reset before any byte is tried once more", async () => {
  let count = 0;
  await using server = await badServer(({ id }, response, request) => {
    count++;
    if (count === 6) {
      request.socket.resetAndDestroy();
    } else {
      json(response, id, { count });
    }
  });
  await using peer = await peerOf(server.url);
  // The pool may open a second socket before it has the first one back.
  for (let expected = 1; expected <= 5; expected++) {
    expect(await peer.call("ping", {})).toEqual({ count: expected });
  }
  expect(await peer.call("ping", {})).toEqual({ count: 7 });
});

test("a tool call on a reused socket that is reset is not tried again, because it may have run", async () => {
  let calls = 0;
  await using server = await badServer(({ id, method }, response, request) => {
    if (method === "tools/call") {
      calls++;
      request.socket.resetAndDestroy();
    } else {
      json(response, id, {});
    }
  });
  await using peer = await peerOf(server.url);
  for (let before = 0; before < 5; before++) {
    await peer.call("ping", {});
  }
  const call = peer.call("tools/call", { name: "charge" });
  await expect(call).rejects.toMatchObject({ code: "NETWORK", delivered: "maybe" });
  expect(calls).toBe(1);
});
