import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { isLocalError, type Request } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, isMcpError, type Server } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, inbox, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { connectPair } from "./pair.ts";
import { acknowledgment, connectScripted, tag } from "./scripted-server.ts";
import { openServerWire } from "./server-wire.ts";

const uri = "notes://1";
const subscriptionId = "io.modelcontextprotocol/subscriptionId";

function addNote(server: Server): void {
  server.addResource({ uri, name: "one" }, () => "one");
}

test.each(bothEras)(
  "a watch gives the updates of its resource in %s, and ends with the loop (S-164)",
  async (revision) => {
    await using pair = await connectPair({ revision }, addNote);
    const seen: string[] = [];
    const watch = pair.session.watch(uri);
    await watch.ready;
    pair.server.resourceUpdated(uri);
    for await (const update of watch) {
      seen.push(update.uri);
      if (seen.length === 2) {
        break;
      }
      pair.server.resourceUpdated("notes://2");
      pair.server.resourceUpdated(uri);
    }
    expect(seen).toEqual([uri, uri]);
    await pair.session.ping();
    const last = revision === legacyRevision ? "resources/unsubscribe" : "notifications/cancelled";
    expect(pair.sent).toContain(last);
  },
);

test("a watch subscribes only after the response to an earlier unsubscribe, which it could overtake over HTTP", async () => {
  await using wire = await openServerWire(legacyRevision, {}, { resources: { subscribe: true } });
  const first = wire.session.watch(uri);
  expect(await wire.answer({})).toMatchObject({ method: "resources/subscribe" });
  await first.ready;
  const closing = first.close();
  const unsubscribe = await wire.next();
  expect(unsubscribe).toMatchObject({ method: "resources/unsubscribe" });
  const second = wire.session.watch(uri);
  const ping = wire.session.ping();
  expect(await wire.answer({})).toMatchObject({ method: "ping" });
  await ping;
  await wire.send({ id: unsubscribe.id, result: {} });
  await closing;
  expect(await wire.answer({})).toMatchObject({ method: "resources/subscribe" });
  await second.ready;
  await wire.send({ method: "notifications/resources/updated", params: { uri } });
  expect(await second.next()).toMatchObject({ value: { uri } });
});

test.each(bothEras)("watchers of one resource share one subscription in %s", async (revision) => {
  await using pair = await connectPair({ revision }, addNote);
  const first = pair.session.watch(uri);
  const second = pair.session.watch(uri);
  await Promise.all([first.ready, second.ready]);
  pair.server.resourceUpdated(uri);
  expect(await first.next()).toMatchObject({ done: false, value: { uri } });
  await first.close();
  pair.server.resourceUpdated(uri);
  expect(await second.next()).toMatchObject({ value: { uri } });
  await second.close();
  expect(await second.next()).toEqual({ done: true, value: undefined });
  const method = revision === legacyRevision ? "resources/subscribe" : "subscriptions/listen";
  expect(pair.sent.filter((sent) => sent === method)).toHaveLength(1);
});

test.each(bothEras)("a resource can be watched again after it was let go in %s", async (revision) => {
  await using pair = await connectPair({ revision }, addNote);
  const first = pair.session.watch(uri);
  await first.ready;
  const closing = first.close();
  const second = pair.session.watch(uri);
  await Promise.all([closing, second.ready]);
  pair.server.resourceUpdated(uri);
  expect(await second.next()).toMatchObject({ value: { uri } });
});

test.each(bothEras)("a server that tells of no resource is refused in %s (R-533)", async (revision) => {
  await using pair = await connectPair(
    { revision, server: { capabilities: { resources: { subscribe: false } } } },
    addNote,
  );
  const watch = pair.session.watch(uri);
  const error: unknown = await watch.next().catch((reason: unknown) => reason);
  expect(isMcpError(error, "CAPABILITY_MISSING")).toBe(true);
  await expect(watch.ready).rejects.toBe(error);
  expect(await watch.next()).toEqual({ done: true, value: undefined });
});

test.each(bothEras)("a signal ends the iteration with its reason in %s", async (revision) => {
  await using pair = await connectPair({ revision }, addNote);
  const controller = new AbortController();
  const watch = pair.session.watch(uri, { signal: controller.signal });
  await watch.ready;
  const next = watch.next();
  controller.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});

test.each(bothEras)("the end of the session ends the iteration in %s", async (revision) => {
  await using pair = await connectPair({ revision }, addNote);
  const watch = pair.session.watch(uri);
  await watch.ready;
  const next = watch.next();
  await pair.session.close();
  expect(await next).toEqual({ done: true, value: undefined });
});

test("updates that nobody takes become one per URI, and too many become one of the resource (R-524)", async () => {
  await using pair = await connectPair({ revision: legacyRevision }, addNote);
  const watch = pair.session.watch(uri);
  await watch.ready;
  const [server] = pair.server.sessions();
  const tell = (below: string): Promise<void> =>
    server?.notify("notifications/resources/updated", { uri: below }) ?? Promise.resolve();
  await tell(`${uri}/a`);
  await tell(`${uri}/a`);
  await tell(`${uri}/b`);
  await pair.session.ping();
  expect(await watch.next()).toMatchObject({ value: { uri: `${uri}/a` } });
  expect(await watch.next()).toMatchObject({ value: { uri: `${uri}/b` } });
  for (let index = 0; index <= 1024; index++) {
    await tell(`${uri}/${index}`);
  }
  await pair.session.ping();
  expect(await watch.next()).toMatchObject({ value: { uri } });
});

test.each(bothEras)(
  "handlers of the client hear of changed lists and resources in %s (S-165, S-172, S-173, S-174)",
  async (revision) => {
    const heard = inbox<string>();
    await using pair = await connectPair(
      {
        revision,
        server: { capabilities: { prompts: true } },
        client: {
          onToolsChanged: () => heard.put("tools"),
          onPromptsChanged: () => heard.put("prompts"),
          onResourcesChanged: async () => heard.put("resources"),
          onResourceUpdated: (update) => heard.put(update.uri),
        },
      },
      addNote,
    );
    pair.server.addTool({ name: "t" }, () => "");
    expect(await heard.take()).toBe("tools");
    pair.server.addPrompt({ name: "p" }, () => "");
    expect(await heard.take()).toBe("prompts");
    pair.server.addResourceTemplate({ uriTemplate: "t:{x}", name: "t" }, () => "");
    expect(await heard.take()).toBe("resources");
    const watch = pair.session.watch(uri);
    await watch.ready;
    pair.server.resourceUpdated(uri);
    expect(await heard.take()).toBe(uri);
    const listens = eraOf(revision) === "modern" ? 2 : 0;
    expect(pair.sent.filter((method) => method === "subscriptions/listen")).toHaveLength(listens);
  },
);

test("without handlers no listen is opened, and with them only for what the server tells of", async () => {
  await using quiet = await connectPair({ revision: modernRevision }, addNote);
  expect(quiet.sent).toEqual(["server/discover"]);
  await using none = await connectPair(
    { revision: modernRevision, client: { onPromptsChanged: () => {} } },
    addNote,
  );
  expect(none.sent).toEqual(["server/discover"]);
});

test("what a handler of the client throws goes to onError", async () => {
  const errors = inbox<unknown>();
  await using pair = await connectPair(
    {
      revision: modernRevision,
      client: {
        onToolsChanged: () => {
          throw new Error("mine");
        },
        onError: (error) => errors.put(error),
      },
    },
    addNote,
  );
  pair.server.addTool({ name: "t" }, () => "");
  expect(await errors.take()).toMatchObject({ message: "mine" });
});

const honoured = { resourceSubscriptions: [uri] };

test.each([
  [
    "a result",
    (request: Request) => ({ id: request.id, result: { resultType: "complete", ...tag(request) } }),
  ],
  ["a cancellation", ({ id }: Request) => ({ method: "notifications/cancelled", params: { requestId: id } })],
  ["an error", ({ id }: Request) => ({ id, error: { code: -32603, message: "restart" } })],
])(
  "a listen that ends with %s is opened again, and the watch says that it may have missed something (R-539, R-540)",
  async (_, end) => {
    const { listens, write, session, clock } = await connectScripted();
    const watch = session.watch(uri);
    const first = await listens.take();
    await write(acknowledgment(first, honoured));
    await watch.ready;
    await write({
      method: "notifications/resources/updated",
      params: { uri: "notes://other", ...tag(first) },
    });
    expect(await watch.next()).toMatchObject({ value: { uri: "notes://other" } });

    await write(end(first));
    await session.ping();
    clock.advance(500);
    const second = await listens.take();
    expect(second.id).not.toBe(first.id);
    await write(acknowledgment(second, honoured));
    expect(await watch.next()).toMatchObject({ value: { uri } });
    await write({ method: "notifications/resources/updated", params: { uri, ...tag(first) } });
    await write({ method: "notifications/resources/updated", params: { uri: "notes://2", ...tag(second) } });
    expect(await watch.next()).toMatchObject({ value: { uri: "notes://2" } });
    await session.close();
  },
);

test("the delay grows while the server ends each listen soon after it acknowledged it, until one brings a change or stays open", async () => {
  const { listens, write, session, clock } = await connectScripted();
  const watch = session.watch(uri);
  let current = await listens.take();
  await write(acknowledgment(current, honoured));
  await watch.ready;
  /** Ends the listen, and gives the delay after which it is opened again, in units of 250 ms. */
  const endedAfter = async (ranMs: number): Promise<number> => {
    clock.advance(ranMs);
    await write({ id: current.id, result: {} });
    await session.ping();
    let delay = 0;
    while (listens.waiting.length === 0 && delay < 200) {
      clock.advance(250);
      delay++;
      await session.ping();
    }
    current = await listens.take();
    await write(acknowledgment(current, honoured));
    await session.ping();
    return delay;
  };
  const within = (delay: number, most: number): void => {
    expect(delay).toBeGreaterThan(most / 2 - 1);
    expect(delay).toBeLessThanOrEqual(most);
  };
  for (const most of [2, 4, 8, 16, 32, 64, 120, 120]) {
    within(await endedAfter(100), most);
  }
  within(await endedAfter(5000), 2);
  within(await endedAfter(100), 4);
  await write({ method: "notifications/resources/updated", params: { uri, ...tag(current) } });
  within(await endedAfter(100), 2);
  await session.close();
});

test("a watch whose listen is refused when it is opened again ends with that error", async () => {
  const { listens, write, session, clock } = await connectScripted();
  const watch = session.watch(uri);
  const first = await listens.take();
  await write(acknowledgment(first, honoured));
  await watch.ready;
  await write({ id: first.id, result: {} });
  await session.ping();
  clock.advance(500);
  const second = await listens.take();
  await write({ id: second.id, error: { code: -32601, message: "no more" } });
  await expect(watch.next()).rejects.toMatchObject({ code: -32601 });
  await session.close();
});

test("a server that does not acknowledge the handlers' listen delays connecting, but no longer than a probe, and no more than an abort allows", async () => {
  const errors = inbox<unknown>();
  for (const give of ["up", "abort"] as const) {
    const [here, there] = createInMemoryTransports();
    const connection = await there.connect();
    const clock = createVirtualClock();
    const controller = new AbortController();
    const client = new Client(
      { name: "c", version: "1" },
      { clock, onToolsChanged: () => {}, onError: (error) => errors.put(error) },
    );
    const connecting = client.connect(here, { signal: controller.signal });
    const discover = (await connection.read()) as Request;
    const result = { supportedVersions: [modernRevision], capabilities: { tools: { listChanged: true } } };
    await connection.write({ jsonrpc: "2.0", id: discover.id, result });
    expect(await connection.read()).toMatchObject({ method: "subscriptions/listen" });
    if (give === "up") {
      clock.advance(5000);
      await (await connecting).close();
    } else {
      controller.abort(new Error("enough"));
      await expect(connecting).rejects.toThrow("enough");
    }
    await errors.take();
  }
});

test("a listen that is not acknowledged in time is given up (R-240, R-540)", async () => {
  const { listens, session, clock } = await connectScripted();
  const opening = session.listen({ toolsListChanged: true }, { onChange: () => {} });
  await listens.take();
  clock.advance(60_000);
  const error: unknown = await opening.catch((reason: unknown) => reason);
  expect(isLocalError(error, "TIMEOUT")).toBe(true);
  await session.close();
});

test("a listen has no timeout once it runs, and the handlers' listen is opened again (R-540)", async () => {
  const heard = inbox<string>();
  const { listens, write, session, clock } = await connectScripted({
    onToolsChanged: () => heard.put("tools"),
  });
  clock.advance(10_000_000);
  const changed = {
    method: "notifications/tools/list_changed",
    params: { _meta: { "io.modelcontextprotocol/subscriptionId": 2 } },
  };
  await write(changed);
  expect(await heard.take()).toBe("tools");
  await write({ id: 2, result: {} });
  await session.ping();
  clock.advance(500);
  const second = await listens.take();
  await write(acknowledgment(second, { toolsListChanged: true }));
  expect(await heard.take()).toBe("tools");
  await session.close();
});

test("a subscription can be had by itself: its changes, its end by either side (R-535)", async () => {
  await using pair = await connectPair({ revision: modernRevision }, addNote);
  const changes = inbox<string>();
  const subscription = await pair.session.listen(
    { toolsListChanged: true, promptsListChanged: true },
    { onChange: ({ method }) => changes.put(method) },
  );
  expect(subscription.honoured).toEqual({ toolsListChanged: true });
  pair.server.addTool({ name: "t" }, () => "");
  expect(await changes.take()).toBe("notifications/tools/list_changed");
  await subscription.close();
  expect(await subscription.closed).toEqual({});

  const other = await pair.session.listen({ toolsListChanged: true }, { onChange: () => {} });
  await pair.server.close();
  expect(await other.closed).toEqual({});
});

test("each era refuses the other's subscriptions", async () => {
  await using legacy = await connectPair({ revision: legacyRevision }, addNote);
  await expect(legacy.session.listen({}, { onChange: () => {} })).rejects.toMatchObject({
    code: "NOT_IN_REVISION",
  });
  await using modern = await connectPair({ revision: modernRevision }, addNote);
  await expect(modern.session.subscribe({ uri })).rejects.toMatchObject({ code: "NOT_IN_REVISION" });
});

test("changes of two listens on one channel go each to its own, by the id in _meta and its type (R-258, R-144)", async () => {
  await using wire = await openServerWire(modernRevision);
  const heard: string[] = [];
  const subscribe = async (name: string): Promise<number | string | undefined> => {
    const opening = wire.session.listen(
      { resourceSubscriptions: [uri] },
      { onChange: ({ params }) => heard.push(`${name} ${String(params["n"])}`) },
    );
    const { id } = await wire.next();
    await wire.send({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourceSubscriptions: [uri] }, _meta: { [subscriptionId]: id } },
    });
    await opening;
    return id;
  };
  const update = (n: number, id: unknown): Promise<void> =>
    wire.send({
      method: "notifications/resources/updated",
      params: { uri, n, _meta: { [subscriptionId]: id } },
    });
  const [first, second] = [await subscribe("first"), await subscribe("second")];
  await update(1, second);
  await update(2, first);
  await update(3, String(first));
  await update(4, null);
  await update(5, 999);
  await update(6, second);
  const pinging = wire.session.ping();
  await wire.answer({ resultType: "complete", supportedVersions: [], capabilities: {}, ttlMs: 0 });
  await pinging;
  expect(heard).toEqual(["second 1", "first 2", "second 6"]);
});

test.each(bothEras)("a watch that is closed is not kept by its session in %s", async (revision) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await using pair = await connectPair({ revision }, addNote);
  const closed = async (): Promise<WeakRef<object>> => {
    const watch = pair.session.watch(uri);
    await watch.ready;
    await watch.close();
    return new WeakRef(watch);
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
