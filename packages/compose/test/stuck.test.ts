import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/mcp";
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
