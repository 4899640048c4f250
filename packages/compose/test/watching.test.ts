import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { compose } from "@tenon/compose";
import type { LaneCaller } from "@tenon/host";
import { RpcError } from "@tenon/jsonrpc2/core";
import { Client, Server } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { aborted } from "../src/source/aborted.ts";
import { createUpdates } from "../src/source/updates.ts";
import { together } from "../src/surface/together.ts";
import { createWatching } from "../src/surface/watching.ts";

const caller = (key: string): LaneCaller => ({ key, session: undefined, inputs: {}, asks: "results" });
const ann = caller("ann");

test("a caller cannot make a proxy watch more than 1,000 resources at a time, nor use up the room of another", async () => {
  const watched = new Set<string>();
  const watching = createWatching({
    async *watch(uri, _, signal) {
      watched.add(uri);
      yield { uri };
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      watched.delete(uri);
    },
    audienceOf: (of) => of,
    onSession: () => () => {},
    onUpdate: () => {},
    onError: (error) => {
      throw error;
    },
  });
  const uris = (count: number, at = 0): string[] =>
    Array.from({ length: count }, (_, index) => `state://${at + index}`);
  await expect(watching.during(uris(1001), ann, () => Promise.resolve())).rejects.toMatchObject({
    code: -32602,
  });
  expect(watched.size).toBe(0);
  await watching.during(uris(1000), ann, async () => {
    expect(watched.size).toBe(1000);
    await expect(watching.during(uris(1, 5000), ann, () => Promise.resolve())).rejects.toThrow(
      "At most 1000",
    );
    expect(await watching.during(uris(1, 5000), caller("bob"), () => Promise.resolve("his"))).toBe("his");
    // Those that are watched already cost nothing.
    expect(await watching.during(uris(1000), ann, () => Promise.resolve("shared"))).toBe("shared");
  });
  expect(await watching.during(uris(1, 5000), ann, () => Promise.resolve("room"))).toBe("room");
});

test("clients that see different things have watches of their own, and are told apart", async () => {
  const began: string[] = [];
  const told: unknown[] = [];
  const watching = createWatching({
    async *watch(uri, { key }, signal) {
      began.push(`${String(key)} ${uri}`);
      yield { uri };
      await aborted(signal);
    },
    audienceOf: (of) => of,
    onSession: () => () => {},
    onUpdate: (uri, audience) => told.push([uri, audience?.key]),
    onError: (error) => {
      throw error;
    },
  });
  const both = (): Promise<void> => expect.poll(() => told.length).toBe(2);
  await watching.during(["a:1"], ann, () => watching.during(["a:1"], caller("bob"), both));
  expect(began).toEqual(["ann a:1", "bob a:1"]);
  expect(told).toEqual([
    ["a:1", "ann"],
    ["a:1", "bob"],
  ]);
});

test.each(["ends", "fails"])(
  "a watch that %s is reported once, and begun again for its users",
  async (how) => {
    const errors: unknown[] = [];
    const updated = deferred();
    let began = 0;
    const watching = createWatching({
      async *watch(uri, _, signal) {
        if (++began > 1) {
          yield { uri };
          await aborted(signal);
        } else if (how === "fails") {
          throw new Error("crashed");
        }
      },
      audienceOf: (of) => of,
      onSession: () => () => {},
      onUpdate: () => updated.resolve(),
      onError: (error) => errors.push(error),
    });
    await watching.during(["a:1"], ann, () => updated.promise);
    expect(began).toBe(2);
    expect(errors).toHaveLength(1);
  },
);

test("updates come under each spelling of a URI", async () => {
  const updates = createUpdates();
  const end = new AbortController();
  const watch = updates.watch("https://example.com/a", end.signal);
  const next = watch.next();
  updates.tell("HTTPS://Example.com:443/a");
  expect((await next).value).toEqual({ uri: "https://example.com/a" });
  end.abort();
  await watch.return(undefined);
});

test("several watches run at the same time, and one that ends or fails does not end the others", async () => {
  const end = new AbortController();
  const updates = createUpdates();
  const watches = [
    (signal: AbortSignal) => createUpdates().watch("https://a", signal),
    async function* fails(): AsyncGenerator<{ readonly uri: string }> {
      yield { uri: "https://b" };
      throw new Error("crashed");
    },
    (signal: AbortSignal) => updates.watch("https://c", signal),
  ];
  const all = together(watches, end.signal);
  expect((await all.next()).value).toEqual({ uri: "https://b" });
  const next = all.next();
  updates.tell("https://c");
  expect((await next).value).toEqual({ uri: "https://c" });
  const last = all.next();
  end.abort();
  expect((await last).done).toBe(true);
});

test("a mounted server's hooks are called for legacy clients of the composition, and may refuse them", async () => {
  const calls: string[] = [];
  const server = new Server(
    { name: "notes", version: "1.0.0" },
    {
      capabilities: { resources: { subscribe: true } },
      onSubscribe(uri, { clientInfo }) {
        if (uri === "notes://secret") {
          throw new RpcError(-32_602, "This one is secret.");
        }
        calls.push(`${clientInfo?.name} watches ${uri}`);
      },
      onUnsubscribe: (uri, { clientInfo }) => void calls.push(`${clientInfo?.name} left ${uri}`),
    },
  );
  server.addResource({ uri: "notes://1", name: "one" }, () => "text");
  const composed = compose(
    { work: server, late: { createServer: () => new Server({ name: "late", version: "1.0.0" }) } },
    { onError: () => {} },
  );
  onTestFinished(() => composed.close({ drainMs: 0 }));
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [legacyRevision] });
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  await session.request("resources/subscribe", { uri: "notes://work/1" });
  await session.request("resources/unsubscribe", { uri: "notes://work/1" });
  expect(calls).toEqual(["ann watches notes://1", "ann left notes://1"]);
  await expect(session.request("resources/subscribe", { uri: "notes://work/secret" })).rejects.toMatchObject({
    code: -32_602,
    message: "This one is secret.",
  });
});

test("a refused second subscription leaves the first one as it was", async () => {
  let refuses = false;
  const server = new Server(
    { name: "notes", version: "1.0.0" },
    {
      capabilities: { resources: { subscribe: true } },
      onSubscribe() {
        if (refuses) {
          throw new RpcError(-32_602, "Not again.");
        }
      },
      onUnsubscribe() {},
    },
  );
  server.addResource({ uri: "notes://1", name: "one" }, () => "text");
  const composed = compose({ work: server }, { onError: () => {} });
  onTestFinished(() => composed.close({ drainMs: 0 }));
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [legacyRevision] });
  const updated = deferred<unknown>();
  client.addReceivingMiddleware((next) => (request) => {
    if (request.method === "notifications/resources/updated") {
      updated.resolve(request.params["uri"]);
    }
    return next(request);
  });
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  await session.request("resources/subscribe", { uri: "notes://1" });
  refuses = true;
  await expect(session.request("resources/subscribe", { uri: "notes://1" })).rejects.toThrow("Not again.");
  server.resourceUpdated("notes://1");
  expect(await updated.promise).toBe("notes://1");
});

test("a composition that was closed leaves nothing on a server that it has mounted", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const server = new Server({ name: "notes", version: "1.0.0" });
  const closed = async (): Promise<WeakRef<object>> => {
    const composed = compose({ notes: server });
    await composed.close();
    return new WeakRef(composed);
  };
  const references = [await closed(), await closed(), await closed()];
  // The last one may still be in a register or on the stack.
  let kept = references.length;
  for (let turn = 0; turn < 20 && kept > 1; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    collect();
    kept = references.filter((reference) => reference.deref() !== undefined).length;
  }
  expect(kept).toBeLessThanOrEqual(1);
});
