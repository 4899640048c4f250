import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/mcp";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

test("a client of an older version gets only what its version allows", async () => {
  const modern = new Server({ name: "modern", version: "1.0.0" }, { revisions: [modernRevision] });
  modern.addTool({ name: "list", output: { type: "array", items: { type: "string" } } }, () => ["a"]);
  modern.addTool({ name: "own", output: { type: "object" } }, () => ({ items: ["a"] }));
  modern.addResource({ uri: "notes://1", name: "one" }, () => "text");
  const transport = async (): Promise<ReturnType<typeof createInMemoryTransports>[0]> => {
    const [here, there] = createInMemoryTransports();
    await modern.connect(there);
    return here;
  };
  const server = compose(
    { modern: transport },
    { names: "own", transforms: [{ tool: "own", output: "/items" }] },
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { revisions: [legacyRevision], cache: false },
  );
  const session = await client.connect(here);
  const { tools } = await session.listTools();
  expect(tools.map(({ name, outputSchema }) => [name, outputSchema])).toEqual([
    ["list", undefined],
    ["own", undefined],
  ]);
  for (const name of ["list", "own"]) {
    const result = await session.callTool({ name });
    expect(result.content).toEqual([{ type: "text", text: '["a"]' }]);
    expect(Object.keys(result).toSorted()).toEqual(["content"]);
  }
  const read = await session.readResource({ uri: "notes://1" });
  expect(Object.keys(read).toSorted()).toEqual(["contents"]);
  await session.close({ drainMs: 0 });
  await server.close({ drainMs: 0 });
});
