import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { Redis } from "ioredis";
import { expect, test } from "vitest";

import { openStores } from "../src/stores.ts";

/** The limit of memory would also hold for other tests on a server that is shared. */
const isOwn = hasRedis && (process.env["TENON_REDIS_URL"] ?? "") === "";
const session = { id: "s", principal: "ada", opening: "{}", facts: "{}", node: "n1" };

test.skipIf(!hasRedis)("sessions that ended leave no keys (skipped without a server)", async () => {
  await using server = await startRedis();
  const client = new Redis(server.target as never);
  const prefix = `tenon-test-${process.pid}-sessions:`;
  let offset = 0;
  const stores = openStores(client, { prefix }, { offsetMs: () => offset });
  await stores.sessions.create({ ...session, id: "deleted", principal: "ada" }, 1000);
  await stores.sessions.delete("deleted");
  await stores.sessions.create({ ...session, id: "replaced", principal: "bob" }, 1000);
  await stores.sessions.create({ ...session, id: "swept", principal: "eve" }, 1000);
  offset = 2000;
  await stores.sessions.create({ ...session, id: "replaced", principal: "dan" }, 1000);
  await stores.sessions.delete("replaced");
  expect(await stores.sessions.sweep(10)).toMatchObject([{ id: "swept", principal: "eve" }]);
  expect(await client.keys(`${prefix}*`)).toEqual([]);
  await stores.close();
  client.disconnect();
});

test.skipIf(!isOwn)(
  "a server without free memory refuses new sessions, and deletes old ones (skipped without a server)",
  async () => {
    await using server = await startRedis();
    const client = new Redis(server.target as never);
    const { sessions, close } = openStores(client, { prefix: `tenon-test-${process.pid}-full:` });
    await sessions.create(session, 60_000);
    await client.config("SET", "maxmemory", "1mb");
    await expect(sessions.create({ ...session, id: "new" }, 60_000)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("maxmemory"),
    });
    expect(await sessions.delete(session.id)).toBe(true);
    await client.config("SET", "maxmemory", "0");
    await close();
    client.disconnect();
  },
);
