import { compose } from "@tenon/compose";
import { RpcError } from "@tenon/jsonrpc2/core";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

const uri = "https://example.com/page";

/** A client of two servers of which the second has the page. */
async function connect(read: () => string): Promise<{ session: ClientSession; has: Server }> {
  const first = new Server({ name: "first", version: "1.0.0" });
  first.addResource({ uri: "https://example.com/other", name: "other" }, () => "other");
  const has = new Server({ name: "has", version: "1.0.0" }, { onError: () => {} });
  has.addResource({ uri, name: "page" }, read);
  const none = new Server({ name: "none", version: "1.0.0" });
  const server = compose({ first, has, none }, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }, { cache: false }).connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await server.close({ drainMs: 0 });
  });
  return { session, has };
}

test("a URL that several sources may have is watched at all of them", async () => {
  const { session, has } = await connect(() => "text");
  const watch = session.watch(uri);
  await watch.ready;
  const update = watch.next();
  let seen: unknown;
  while (seen === undefined) {
    has.resourceUpdated(uri);
    seen = await Promise.race([update, session.ping().then(() => undefined)]);
  }
  expect(seen).toMatchObject({ value: { uri } });
  await watch.return?.();
});

test("the error of the source that lists a URL is not replaced by that of another", async () => {
  const { session } = await connect(() => {
    throw new RpcError(-32_042, "locked");
  });
  await expect(session.readResource({ uri })).rejects.toMatchObject({ code: -32_042, message: "locked" });
});
