import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { Server } from "@tenon/mcp";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, resultOf } from "./conversation.ts";

// Clients that ask for little and would have the server keep much.

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

/** How much more heap there is after `work`, in bytes. */
async function growth(work: () => Promise<void>): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  await work();
  collect();
  return process.memoryUsage().heapUsed - before;
}

test("a client that makes cursors up does not make the server keep a page for each of them", async () => {
  const nameOf = (index: number): string => `tool${String(index).padStart(4, "0")}`;
  await using it = await converse(legacyRevision, (server) => {
    for (let index = 0; index < 1200; index++) {
      server.addTool({ name: nameOf(index), description: "d".repeat(1000) }, () => "");
    }
  });
  const page = async (cursor?: string): Promise<unknown[]> =>
    resultOf(await it.call("tools/list", cursor === undefined ? {} : { cursor }))["tools"] as unknown[];
  await page();
  const grown = await growth(async () => {
    for (let index = 0; index < 100; index++) {
      expect(await page(`1${btoa(`${nameOf(index)}!`)}`)).toHaveLength(1000);
    }
  });
  // A page is a megabyte.
  expect(grown).toBeLessThan(20_000_000);
});

test.each(bothEras)(
  "a URI to watch may have 8192 characters in %s: it is kept as long as the subscription",
  async (revision) => {
    await using it = await converse(revision, (server) => {
      server.addResourceTemplate({ uriTemplate: "x:{+rest}", name: "x" }, () => "");
    });
    const watch = async (uri: unknown): Promise<unknown> => {
      if (revision === legacyRevision) {
        return it.call("resources/subscribe", { uri });
      }
      await it.send("listen", "subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });
      return it.next();
    };
    expect(await watch(`x:${"a".repeat(8191)}`)).toMatchObject({
      error: { code: -32602, message: "Resource URI is too long: 8193 characters; the limit is 8192" },
    });
    expect(await watch(5)).toMatchObject({ error: { code: -32602 } });
    expect(await watch(`x:${"a".repeat(8190)}`)).not.toHaveProperty("error");
  },
);

test("a server with 1400 calls that hang rejects the last of them, answers ping and serves again once they are cancelled (T-048)", async () => {
  const clock = createVirtualClock();
  const setUp = (server: Server): void => {
    server.addTool({ name: "hang" }, (_args, { signal }) => {
      return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("late")));
    });
    server.addTool({ name: "echo" }, () => "here");
  };
  await using it = await converse(legacyRevision, setUp, { clock });
  for (let id = 1; id <= 1400; id++) {
    void it.send(id, "tools/call", { name: "hang" });
  }
  const ping = it.send("ping", "ping");
  await new Promise(setImmediate);
  clock.advance(1000);
  for (let id = 1281; id <= 1400; id++) {
    expect(await it.next()).toMatchObject({ id, error: { code: -32603 } });
  }
  await ping;
  expect(await it.next()).toMatchObject({ id: "ping", result: {} });
  for (let requestId = 1; requestId <= 1280; requestId++) {
    await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }
  expect(await it.call("tools/call", { name: "echo" })).toMatchObject({
    result: { content: [{ text: "here" }] },
  });
});
