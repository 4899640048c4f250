import { Client, Server, type ServerChange, type ServerOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, inbox, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

/** What carries changes between the machines of a deployment, as JSON, back to the sender too. */
function createBus(): {
  readonly publish: (change: ServerChange) => void;
  readonly servers: Server[];
  readonly seen: unknown[];
} {
  const servers: Server[] = [];
  const seen: unknown[] = [];
  return {
    servers,
    seen,
    publish(change) {
      const copy: unknown = JSON.parse(JSON.stringify(change));
      seen.push(copy);
      servers.forEach((server) => server.announce(copy));
    },
  };
}

function node(options: ServerOptions): Server {
  const server = new Server(
    { name: "node", version: "1.0.0" },
    { capabilities: { prompts: true }, ...options, limits: { listChangedDelayMs: 0, ...options.limits } },
  );
  server.addResource({ uri: "memo://1", name: "one" }, () => "one");
  return server;
}

async function listener(server: Server, revision: Revision): Promise<ReturnType<typeof inbox<string>>> {
  const heard = inbox<string>();
  const client = new Client(
    { name: "client", version: "1.0.0" },
    { revisions: [revision], onPromptsChanged: () => heard.put("prompts") },
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  const watch = session.watch("memo://1");
  await watch.ready;
  void (async () => {
    for await (const { uri } of watch) {
      heard.put(uri);
    }
  })().catch(() => {});
  return heard;
}

test.each(bothEras)(
  "a change on one server reaches the clients of all servers of a deployment, once, in %s (R-541)",
  async (revision) => {
    const bus = createBus();
    await using one = node({ onChange: bus.publish });
    await using two = node({ onChange: bus.publish });
    bus.servers.push(one, two);
    const [first, second] = [await listener(one, revision), await listener(two, revision)];
    bus.seen.length = 0;
    one.resourceUpdated("memo://1");
    expect([await first.take(), await second.take()]).toEqual(["memo://1", "memo://1"]);
    two.addPrompt({ name: "p" }, () => "");
    expect([await first.take(), await second.take()]).toEqual(["prompts", "prompts"]);
    expect(bus.seen).toEqual([
      { method: "notifications/resources/updated", uri: "memo://1", origin: expect.any(String) as string },
      { method: "notifications/prompts/list_changed", origin: expect.any(String) as string },
    ]);
    one.resourceUpdated("memo://2");
    one.resourceUpdated("memo://1");
    expect([await first.take(), await second.take()]).toEqual(["memo://1", "memo://1"]);
    expect([first.waiting, second.waiting]).toEqual([[], []]);
  },
);

test("what is no change is passed over, and an onChange that fails goes to onError (R-541)", async () => {
  const errors: unknown[] = [];
  await using server = node({
    onChange: () => Promise.reject(new Error("the bus is down")),
    onError: (error) => errors.push(error),
  });
  const heard = await listener(server, modernRevision);
  for (const odd of [
    undefined,
    null,
    "x",
    {},
    { method: "notifications/cancelled", origin: "o" },
    { method: "notifications/resources/updated", origin: "o" },
    { method: "notifications/resources/updated", uri: 7, origin: "o" },
    { method: "notifications/prompts/list_changed" },
    { method: 7, origin: "o" },
    { method: "notifications/tools/unknown", origin: "o" },
  ]) {
    server.announce(odd);
  }
  server.resourceUpdated("memo://1");
  expect(await heard.take()).toBe("memo://1");
  await expect.poll(() => errors).toContainEqual(expect.objectContaining({ message: "the bus is down" }));
  expect(heard.waiting).toEqual([]);
});

test.each(bothEras)(
  "a change that names nothing reaches every subscriber of a list or a resource, in %s (R-541)",
  async (revision) => {
    await using server = node({});
    const heard = await listener(server, revision);
    server.announce({ origin: "gap" });
    expect([await heard.take(), await heard.take()].toSorted()).toEqual(["memo://1", "prompts"]);
    expect(heard.waiting).toEqual([]);
  },
);
