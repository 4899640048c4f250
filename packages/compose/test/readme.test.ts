import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

// #region compose
const notes = new Server({ name: "notes", version: "1.0.0" });
notes.addTool({ name: "search" }, () => "1 note");
const shop = new Server({ name: "shop", version: "1.0.0" });
shop.addTool({ name: "search" }, () => "2 offers");

const server = compose({ notes, shop });
// server.run(new StdioTransport()), or createStreamableHandler({ getServer: () => server })
// #endregion compose

test("the program of the README offers the tools of both servers", async () => {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using session = await new Client({ name: "test", version: "1.0.0" }).connect(here);
  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["mcp__notes__search", "mcp__shop__search"]);
  const { content } = await session.callTool({ name: "mcp__shop__search" });
  expect(content).toEqual([{ type: "text", text: "2 offers" }]);
  await server.close();
});
