import { Client, Server } from "@tenon/mcp";
import { pair, parseCassette, recordTransport, replayCassette } from "@tenon/testing";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

test("the README shows a tested server and a replayed conversation", async () => {
  // #region pair
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, () => "Hello!");

  await using connected = await pair(server);
  const { content } = await connected.session.callTool({ name: "greet" });
  console.assert(content[0]?.type === "text", connected.printWire());
  // #endregion pair
  expect(content).toMatchObject([{ text: "Hello!" }]);

  const [transport, there] = createInMemoryTransports();
  await server.connect(there);
  // #region cassette
  const lines: string[] = [];
  const client = new Client({ name: "app", version: "1.0.0" });
  const live = await client.connect(recordTransport(transport, { write: (line) => lines.push(line) }));
  await live.callTool({ name: "greet" });
  await live.close();

  // Later, without the server:
  const cassette = parseCassette(lines.join(""));
  await using session = await client.connect(replayCassette(cassette));
  const replayed = await session.callTool({ name: "greet" });
  // #endregion cassette
  expect(replayed.content).toEqual(content);
});
