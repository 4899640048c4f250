import { expect, test } from "vitest";

import { extra, Peer, type Scope } from "../src/index.ts";
import { createScriptedPeer, createVirtualClock } from "../src/testing.ts";
import { request, settled } from "./helpers.ts";

test.each([
  ["is cancelled", {}],
  ["times out", { timeoutMs: 1_000 }],
])("if a call %s, the requests that belong to it are cancelled", async (_, options) => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const reasons: unknown[] = [];
  const handler = ({ id, signal }: Scope): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reasons.push(id);
        reject(signal.reason as Error);
      });
    });
  const peer = new Peer(other.connection, { handler, clock });
  const controller = new AbortController();
  const call = peer.call("m", undefined, { signal: controller.signal, ...options });
  const { id } = await other.nextRequest();
  other.send({ ...request(7, "of the call"), [extra]: { relatedTo: id } });
  other.send(request(8, "of no call"));
  await settled();
  if ("timeoutMs" in options) {
    clock.advance(1_000);
  } else {
    controller.abort();
  }
  await expect(call).rejects.toThrow();
  expect(reasons).toEqual([7]);
  await peer.close({ drainMs: 0 });
});
