import { RpcError } from "@tenon/jsonrpc2";
import { Client, type ClientSession } from "@tenon/mcp";
import { eraOf, type Revision } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { answerByHand, createAskedClient, type Dialog } from "./docs/interaction-client.ts";
import { createShop, sent } from "./docs/interaction-server.ts";
import { textOf } from "./pair.ts";

/** Connects to the documented shop, through a wire that knows one era only. */
async function connect(client: Client, revision: Revision): Promise<ClientSession> {
  const shop = createShop("a secret of the shop, long enough to be one", () => "ada");
  const [here, there] = createInMemoryTransports();
  await shop.connect(there);
  if (eraOf(revision) === "modern") {
    return client.connect(here);
  }
  // A server of the legacy era does not know the question of the modern one.
  shop.addReceivingMiddleware((next) => (request) => {
    if (request.method === "server/discover") {
      throw new RpcError(-32601, "Method not found");
    }
    return next(request);
  });
  return client.connect(here);
}

test.each(bothEras)("what docs/interaction.md shows does what it says, in %s", async (revision) => {
  const titles: string[] = [];
  const dialog: Dialog = {
    ask: (title) => {
      titles.push(title);
      return Promise.resolve({ address: "1 Main Street", name: "Ada" });
    },
    mayOpen: (host) => Promise.resolve(host === "bank.example"),
  };
  await using session = await connect(createAskedClient(dialog), revision);
  expect(session.revision).toBe(revision);
  sent.length = 0;
  const ordered = await session.callTool({ name: "order", arguments: { item: "chair" } });
  expect(textOf(ordered)).toBe("Order 7 is on its way.");
  expect(sent).toEqual(["reserve chair", "ship 7 to 1 Main Street"]);
  expect(titles).toEqual(["shop asks: Where should the chair go?"]);
  expect(textOf(await session.callTool({ name: "introduce" }))).toBe("Ada, this is Ada.");
  expect(textOf(await session.callTool({ name: "connect-account" }))).toContain("browser");
  expect(textOf(await session.callTool({ name: "summary" }))).toContain("I have read 1 message.");
  expect(textOf(await session.callTool({ name: "survey" }))).toContain("accept");
});

test("a client with a user who gives no answer, and one that cannot be asked", async () => {
  const dialog: Dialog = { ask: () => Promise.resolve(undefined), mayOpen: () => Promise.resolve(false) };
  await using session = await connect(createAskedClient(dialog), modernRevision);
  sent.length = 0;
  const ordered = await session.callTool({ name: "order", arguments: { item: "chair" } });
  expect(textOf(ordered)).toBe("Nothing was ordered.");
  expect(sent).toEqual(["reserve chair"]);
  const introduced = await session.callTool({ name: "introduce" });
  expect(introduced.isError).toBe(true);
  expect(await answerByHand(session)).toEqual([{ type: "text", text: '{"mood":{"action":"decline"}}' }]);

  await using bare = await connect(new Client({ name: "bare", version: "1.0.0" }), modernRevision);
  expect(textOf(await bare.callTool({ name: "summary" }))).toContain("does not support sampling");
});
