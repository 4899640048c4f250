import { methodHandler, Peer } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { CancelledRequests } from "../src/lanes/cancelled-requests.ts";

/** A server that obeys cancellations, and so never responds to a cancelled call. */
async function connect(options: ClientOptions = {}): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  const handlers = {
    initialize: () => ({
      protocolVersion: legacyRevision,
      capabilities: { tools: {} },
      serverInfo: { name: "silent", version: "1.0.0" },
    }),
    "notifications/initialized": () => {},
    "notifications/cancelled": () => {},
    ping: () => ({}),
    "tools/call": () => new Promise(() => {}),
  };
  const peer = new Peer(await there.connect(), { handler: methodHandler(handlers as never) });
  const client = new Client({ name: "proxy", version: "1.0.0" }, { revisions: [legacyRevision], ...options });
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await peer.close({ drainMs: 0 });
  });
  return session;
}

const call = { method: "tools/call", params: { name: "ask" } };

async function cancelled(all: CancelledRequests, session: ClientSession, caller: string): Promise<void> {
  const cancel = new AbortController();
  const sent = all.send(session, caller, call, { signal: cancel.signal, onId: () => cancel.abort() });
  await expect(sent).rejects.toThrow("aborted");
}

test("a cancelled request without a response concerns the other callers for a minute", async () => {
  const clock = createVirtualClock();
  const all = new CancelledRequests(clock);
  const session = await connect();
  await cancelled(all, session, "ann");
  expect([all.hasOther("ann"), all.hasOther("bob")]).toEqual([false, true]);
  clock.advance(59_999);
  expect(all.hasOther("bob")).toBe(true);
  clock.advance(1);
  expect([all.hasOther("bob"), all.size]).toEqual([false, 0]);
});

test("at most 1,000 cancelled requests are noted", async () => {
  const all = new CancelledRequests(createVirtualClock());
  const session = await connect();
  for (let count = 0; count < 1_001; count++) {
    await cancelled(all, session, count === 0 ? "ann" : "bob");
  }
  expect([all.size, all.hasOther("bob")]).toEqual([1_000, false]);
});

test("the timeout of a cancelled request does not shorten that minute", async () => {
  const clock = createVirtualClock();
  const all = new CancelledRequests(clock);
  const session = await connect({ clock, limits: { timeoutMs: 1_000 } });
  await cancelled(all, session, "ann");
  clock.advance(1_000);
  await session.ping({}, { timeoutMs: Infinity }).catch(() => {});
  clock.advance(58_999);
  expect(all.hasOther("bob")).toBe(true);
  clock.advance(1);
  expect(all.size).toBe(0);
});
