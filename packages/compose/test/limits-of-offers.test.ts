import { compose, type ComposeOptions } from "@tenon/compose";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

async function connect(options: ComposeOptions): Promise<{ session: ClientSession; ran: string[] }> {
  const ran: string[] = [];
  const a = new Server({ name: "a", version: "1.0.0" }, { onError: () => {} });
  a.addTool({ name: "delete_all", annotations: { destructiveHint: true } }, () => void ran.push("delete"));
  a.addTool({ name: "look", annotations: { destructiveHint: false } }, () => void ran.push("look"));
  a.addResource({ uri: "notes://1", name: "one" }, () => "secret text");
  const server = compose({ a }, { onError: () => {}, ...options });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }, { cache: false }).connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await server.close({ drainMs: 0 });
  });
  return { session, ran };
}

test("a search neither finds nor describes nor calls a tool that is not offered", async () => {
  const { session, ran } = await connect({
    search: true,
    offers: (tool) => tool.annotations?.destructiveHint !== true,
  });
  const call = (
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): ReturnType<ClientSession["callTool"]> => session.callTool({ name, arguments: args });
  const found = JSON.stringify((await call("search_tools", { query: "delete all look" })).content);
  expect(found).toContain("mcp__a__look");
  expect(found).not.toContain("delete_all");
  const described = JSON.stringify((await call("describe_tool", { name: "mcp__a__delete_all" })).content);
  expect(described).toContain("No tool is named");
  await expect(call("call_tool", { name: "mcp__a__delete_all" })).rejects.toMatchObject({ code: -32_602 });
  await call("call_tool", { name: "mcp__a__look" });
  expect(ran).toEqual(["look"]);
});

test("the tools for resources and prompts are as visible and as offered as other tools", async () => {
  const hidden = await connect({ asTools: ["resources"], maySee: () => false });
  expect((await hidden.session.listTools()).tools).toEqual([]);
  const read = hidden.session.callTool({ name: "read_resource", arguments: { uri: "notes://1" } });
  await expect(read).rejects.toMatchObject({ code: -32_602 });
  const { session } = await connect({
    asTools: ["resources"],
    offers: ({ name }) => name !== "read_resource",
  });
  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["list_resources", "mcp__a__delete_all", "mcp__a__look"]);
  const again = session.callTool({ name: "read_resource", arguments: { uri: "notes://1" } });
  await expect(again).rejects.toMatchObject({ code: -32_602 });
});
