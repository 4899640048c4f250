import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

test("a source that never connects delays no subscription to another", async () => {
  const good = new Server({ name: "good", version: "1.0.0" });
  good.addResource({ uri: "notes://1", name: "one" }, () => "text");
  const server = compose({ good, stuck: () => new Promise<never>(() => {}) }, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }).connect(here);
  const watch = session.watch("notes://good/1");
  await watch.ready;
  const update = watch.next();
  let seen: unknown;
  while (seen === undefined) {
    good.resourceUpdated("notes://1");
    seen = await Promise.race([update, session.ping().then(() => undefined)]);
  }
  expect(seen).toMatchObject({ value: { uri: "notes://good/1" } });
  await watch.return?.();
  await session.close({ drainMs: 0 });
  await server.close({ drainMs: 0 });
});

test("a source that fails after the time for lists is reported and comes back", async () => {
  const gate = deferred();
  const reported = deferred<string>();
  const changed = deferred();
  const late = new Server({ name: "late", version: "1.0.0" });
  late.addTool({ name: "look" }, () => "seen");
  let tries = 0;
  const server = compose(
    {
      late: async () => {
        if (++tries === 1) {
          await gate.promise;
          throw new Error("too late");
        }
        const [here, there] = createInMemoryTransports();
        await late.connect(there);
        return here;
      },
    },
    { onError: (error) => reported.resolve(String(error)), limits: { listTimeoutMs: 1 } },
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { cache: false, onToolsChanged: () => changed.resolve() },
  );
  const session = await client.connect(here);
  expect((await session.listTools()).tools).toEqual([]);
  gate.resolve();
  expect(await reported.promise).toContain("too late");
  await changed.promise;
  expect(tries).toBe(2);
  await session.close({ drainMs: 0 });
  await server.close({ drainMs: 0 });
});
