import { Peer } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import { StreamableServerTransport } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Held } from "../src/server/held.ts";
import { common } from "./setup.ts";

const url = "http://localhost/mcp";

/** The params of what a session without a stream has held back, as its client gets it. */
async function heldBack(tell: (peer: Peer) => Promise<void>): Promise<readonly unknown[]> {
  const transport = new StreamableServerTransport();
  const peer = new Peer(await transport.connect(), { handler: () => ({ protocolVersion: legacyRevision }) });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
  await transport.fetch(new Request(url, { method: "POST", headers: common, body }));
  await tell(peer);
  const headers = { accept: "text/event-stream", "mcp-session-id": transport.sessionId };
  const stream = await transport.fetch(new Request(url, { headers }));
  await transport.close();
  return (await stream.text())
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => (JSON.parse(event.slice(6)) as { params: unknown }).params);
}

test("of the messages that wait for a stream the oldest are dropped beyond 100", async () => {
  const steps = Array.from({ length: 130 }, (_, step) => ({ step }));
  const held = await heldBack(async (peer) => {
    for (const params of steps) {
      await peer.notify("notifications/message", params);
    }
  });
  expect(held).toEqual(steps.slice(30));
});

test("N-207: of the messages that wait for a stream the oldest are dropped beyond 64 Ki characters", async () => {
  const steps = Array.from({ length: 20 }, (_, step) => ({ step, data: "x".repeat(10_000) }));
  const held = await heldBack(async (peer) => {
    for (const params of steps) {
      await peer.notify("notifications/message", params);
    }
  });
  expect(held).toEqual(steps.slice(14));
  expect(
    await heldBack((peer) => peer.notify("notifications/message", { data: "x".repeat(70_000) })),
  ).toEqual([]);
});

test("N-207: of the messages about one subject only the newest waits for a stream", async () => {
  const held = await heldBack(async (peer) => {
    for (let change = 0; change < 200; change++) {
      await peer.notify("notifications/resources/updated", { uri: "file:///a", change });
      await peer.notify("notifications/resources/updated", { uri: "file:///b", change });
      await peer.notify("notifications/tools/list_changed", { change });
    }
  });
  expect(held).toEqual([
    { uri: "file:///a", change: 199 },
    { uri: "file:///b", change: 199 },
    { change: 199 },
  ]);
});

test("N-207: many sessions that never open their streams hold less each, and no session loses what little it holds", () => {
  const total = { length: 0 };
  const modest = new Held(total);
  modest.add("list changed", "tools");
  const sessions = Array.from({ length: 10_000 }, () => new Held(total));
  for (const held of sessions) {
    for (let count = 0; count < 10; count++) {
      held.add("x".repeat(8000), undefined);
    }
  }
  // Half of what all of them may hold by themselves would be more than 300 Mi.
  expect(total.length).toBeLessThan(33 * 1024 * 1024);
  modest.add("list changed again", "prompts");
  expect(modest.take().map(({ text }) => text)).toEqual(["list changed", "list changed again"]);
  for (const held of sessions) {
    held.end();
  }
  expect(total.length).toBe(0);
});

test("a request that is dropped for newer messages rejects, as do those that wait when the session ends", async () => {
  const held = new Held({ length: 0 });
  held.expect(3_600_000);
  const first = held.ask("first");
  for (let count = 0; count < 100; count++) {
    held.add(String(count), undefined);
  }
  await expect(first).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const second = held.ask("second");
  held.end();
  await expect(second).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("requests wait no longer than the client is expected, and notifications go on waiting", async () => {
  const held = new Held({ length: 0 });
  await expect(held.ask("nobody is expected")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  held.expect(1);
  held.add("told", undefined);
  await expect(held.ask("asked")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(held.take().map(({ text }) => text)).toEqual(["told"]);
});
