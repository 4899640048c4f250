import { startProxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { Redis } from "ioredis";
import { expect, test, vi } from "vitest";

import { openStores } from "../src/stores.ts";
import { libraries, type Library } from "./support.ts";

/** A user of the server would stay behind on one that is shared. */
const isOwn = hasRedis && (process.env["TENON_REDIS_URL"] ?? "") === "";
const options = { prefix: `tenon-test-${process.pid}-deaf:`, onError: () => undefined };

test.skipIf(!hasRedis).each(Object.keys(libraries) as Library[])(
  "a bus whose connection loses all bytes listens on another one, and tells of the gap, with %s (skipped without a server)",
  async (library) => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const { client, close } = await libraries[library](proxy.port);
    const stores = openStores(client, options, { aliveMs: 1000 });
    const publisher = new Redis(server.target as never);
    const other = openStores(publisher, options);
    const heard: string[] = [];
    const listener = { message: (text: string) => heard.push(text), gap: () => heard.push("gap") };
    await stores.bus.subscribe("x", listener);
    await other.bus.publish("x", "before");
    await vi.waitFor(() => expect(heard).toEqual(["before"]));
    proxy.deafen();
    await other.bus.publish("x", "lost");
    // It waits for an end of the connection that does not come, until the connection is replaced.
    const late = stores.bus.subscribe("y", listener).catch(() => undefined);
    await vi.waitFor(() => expect(heard).toContain("gap"));
    await other.bus.publish("x", "after");
    await vi.waitFor(() => expect(heard.at(-1)).toBe("after"));
    await late;
    await stores.bus.subscribe("z", listener);
    await other.bus.publish("z", "more");
    await vi.waitFor(() => expect(heard.at(-1)).toBe("more"));
    await stores.close();
    close();
    await other.close();
    publisher.disconnect();
  },
);

test.skipIf(!hasRedis)(
  "a subscriber that gave up gets no messages later, and its topic is not subscribed to (skipped without a server)",
  async () => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const { client, close } = await libraries.ioredis(proxy.port);
    const stores = openStores(client, { ...options, limits: { timeoutMs: 200 } });
    proxy.stop();
    const heard: string[] = [];
    const listenerOf = (name: string) => ({
      message: (text: string) => void heard.push(`${name} ${text}`),
      gap: () => undefined,
    });
    for (const topic of ["given-up", "wanted"]) {
      const failed = stores.bus.subscribe(topic, listenerOf("gave up"));
      await expect(failed).rejects.toMatchObject({ code: "STORE_FAILED" });
    }
    proxy.restore();
    await vi.waitFor(() => stores.bus.subscribe("wanted", listenerOf("waits")));
    // The connection for commands may come back later than the one for subscriptions.
    await vi.waitFor(() => stores.bus.publish("wanted", "1"));
    await vi.waitFor(() => expect(heard).toContain("waits 1"));
    expect(heard).toEqual(["waits 1"]);
    const direct = new Redis(server.target as never);
    expect(await direct.call("PUBSUB", "CHANNELS", `${options.prefix}*`)).toEqual([
      `${options.prefix}bus:wanted`,
    ]);
    direct.disconnect();
    await stores.close();
    close();
  },
);

test.skipIf(!isOwn).each(Object.keys(libraries) as Library[])(
  "stores that are closed open no connection for subscribers that wait, with %s (skipped without a server)",
  async (library) => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const { client, close } = await libraries[library](proxy.port);
    const stores = openStores(client, options);
    const listener = { message: () => undefined, gap: () => undefined };
    await stores.bus.subscribe("a", listener);
    proxy.hold();
    const waiting = ["b", "c", "d"].map((topic) => stores.bus.subscribe(topic, listener));
    const settled = Promise.allSettled(waiting);
    await new Promise(setImmediate);
    await stores.close();
    proxy.restore();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    const admin = new Redis(server.target as never);
    await vi.waitFor(async () => {
      const clients = String(await admin.call("CLIENT", "LIST"))
        .trim()
        .split("\n");
      expect(clients).toHaveLength(2);
    });
    close();
    admin.disconnect();
  },
);

test.skipIf(!isOwn)(
  "a bus keeps its connection if it may only use its own channels (skipped without a server)",
  async () => {
    await using server = await startRedis();
    const admin = new Redis(server.target as never);
    await admin.call("ACL", "SETUSER", "bus", "on", ">secret", "+@all", "&own:bus:*", "~*");
    const client = new Redis({ ...(server.target as object), username: "bus", password: "secret" });
    const stores = openStores(client, { prefix: "own:" }, { aliveMs: 1000 });
    const gap = vi.fn();
    await stores.bus.subscribe("x", { message: () => undefined, gap });
    const denied = async (): Promise<number> => {
      const log = (await admin.call("ACL", "LOG")) as unknown[][];
      return Number(log[0]?.[1] ?? 0);
    };
    await vi.waitFor(async () => expect(await denied()).toBeGreaterThan(1));
    expect(gap).not.toHaveBeenCalled();
    await stores.close();
    client.disconnect();
    admin.disconnect();
  },
);

test.skipIf(!hasRedis).each(Object.keys(libraries) as Library[])(
  "the end of a subscription is waited for as long as for a call, though the server does not respond, with %s (skipped without a server)",
  async (library) => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const { client, close } = await libraries[library](proxy.port);
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const stores = openStores(client, { ...options, onError, limits: { timeoutMs: 200 } });
    const listener = { message: () => undefined, gap: () => undefined };
    // A busy machine may need longer for the first connection.
    const heard = await vi.waitFor(() => stores.bus.subscribe("x", listener));
    const watched = await vi.waitFor(() => stores.tasks.watch(() => undefined));
    proxy.hold();
    await Promise.all([heard[Symbol.asyncDispose](), watched[Symbol.asyncDispose]()]);
    expect(errors).toMatchObject([{ code: "STORE_FAILED" }, { code: "STORE_FAILED" }]);
    await stores.close();
    close();
  },
);

test.skipIf(!hasRedis).each(Object.keys(libraries) as Library[])(
  "a message that no store has published is reported, and the next is heard, with %s (skipped without a server)",
  async (library) => {
    await using server = await startRedis();
    await using proxy = await startProxy(server.target);
    const { client, close } = await libraries[library](proxy.port);
    const onError = vi.fn();
    const stores = openStores(client, { ...options, onError });
    const changed = vi.fn();
    await stores.tasks.watch(changed);
    const direct = new Redis(server.target as never);
    await direct.publish(`${options.prefix}{tasks}:changed`, "hello");
    await direct.publish(`${options.prefix}{tasks}:changed`, '{"id":"t_1","version":2}');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith("t_1", 2));
    expect(onError.mock.calls).toMatchObject([
      [{ name: "SyntaxError", message: expect.stringContaining("hello") }],
    ]);
    direct.disconnect();
    await stores.close();
    close();
  },
);

test.skipIf(!hasRedis)(
  "subscriptions that end while their stores are closed are no errors (skipped without a server)",
  async () => {
    await using server = await startRedis();
    const client = new Redis(server.target as never);
    const onError = vi.fn();
    for (const first of ["subscriptions", "stores"]) {
      const stores = openStores(client, { ...options, onError });
      const heard = await stores.bus.subscribe("x", { message: () => undefined, gap: () => undefined });
      const watched = await stores.tasks.watch(() => undefined);
      const end = () => Promise.all([heard[Symbol.asyncDispose](), watched[Symbol.asyncDispose]()]);
      await Promise.all(first === "stores" ? [stores.close(), end()] : [end(), stores.close()]);
    }
    expect(onError.mock.calls).toEqual([]);
    client.disconnect();
  },
);
