import { once } from "node:events";

import type { StoreSubjectFactory } from "@tenon/stores/testing";
import { startProxy } from "@tenon/test-support/proxy";
import { startRedis, type RedisServer } from "@tenon/test-support/redis";
import { Redis as IoRedis } from "ioredis";
import { Redis as IoValkey } from "iovalkey";
import { createClient } from "redis";

import type { RedisClient } from "../src/index.ts";
import { openStores, type RedisStores } from "../src/stores.ts";

/** A connected client, and how to close it. */
interface Connected {
  readonly client: RedisClient;
  close(): unknown;
}

/** Commands fail at once while the server cannot be reached. */
const offline = { enableOfflineQueue: false, maxRetriesPerRequest: 0 };

/** `createClient` makes a class with hundreds of commands each time; `duplicate` uses it again. */
const node = createClient({ disableOfflineQueue: true });

/** How each library connects to a port of 127.0.0.1. */
export const libraries = {
  async redis(port: number): Promise<Connected> {
    const socket = { host: "127.0.0.1", port, reconnectStrategy: () => 20 };
    const client = node.duplicate({ socket });
    client.on("error", () => undefined);
    await client.connect();
    return { client: client as unknown as RedisClient, close: () => client.destroy() };
  },
  async ioredis(port: number): Promise<Connected> {
    const client = new IoRedis({ host: "127.0.0.1", port, retryStrategy: () => 20, ...offline });
    client.on("error", () => undefined);
    await once(client, "ready");
    return { client, close: () => client.disconnect() };
  },
  async iovalkey(port: number): Promise<Connected> {
    const client = new IoValkey({ host: "127.0.0.1", port, retryStrategy: () => 20, ...offline });
    client.on("error", () => undefined);
    await once(client, "ready");
    return { client: client as unknown as RedisClient, close: () => client.disconnect() };
  },
};

/** A name of {@link libraries}. */
export type Library = keyof typeof libraries;

let server: Promise<RedisServer> | undefined;
let lastPrefix = 0;

/** Stops the server that the tests of this file share. */
export async function stopServer(): Promise<void> {
  await (await server)?.[Symbol.asyncDispose]();
  server = undefined;
}

/** Two clients of one server behind a proxy. `advance` adds to the time of the server. */
export function onRedis<Store>(
  library: Library,
  storeOf: (stores: RedisStores) => Store,
  timeoutMs = 60_000,
): StoreSubjectFactory<Store> {
  return async () => {
    server ??= startRedis();
    const proxy = await startProxy((await server).target);
    lastPrefix++;
    const prefix = `tenon-test-${process.pid}-${Date.now()}-${lastPrefix}:`;
    const limits = { maxTasksPerPrincipal: 20_000, maxEventsPerSession: 20_000 };
    let offset = 0;
    const opened: { stores: RedisStores; connected: Connected }[] = [];
    const open = async (): Promise<Store> => {
      const connected = await libraries[library](proxy.port);
      const options = { prefix, limits: { ...limits, timeoutMs }, onError: () => undefined };
      const stores = openStores(connected.client, options, { offsetMs: () => offset });
      opened.push({ stores, connected });
      return storeOf(stores);
    };
    return {
      store: await open(),
      other: await open(),
      advance(ms) {
        offset += ms;
        return Promise.resolve();
      },
      reopen: open,
      stop() {
        proxy.stop();
        return Promise.resolve();
      },
      restore() {
        proxy.restore();
        return Promise.resolve();
      },
      async [Symbol.asyncDispose]() {
        for (const { stores: each, connected } of opened) {
          await each.close();
          connected.close();
        }
        await proxy[Symbol.asyncDispose]();
      },
    };
  };
}
