import { Client, type ClientSession } from "@tenon/sdk/client";
import { Manager } from "@tenon/sdk/host";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { expect, test } from "vitest";

import { fitted, forUsers, mixed, searching, transformed } from "./guide/compose.ts";

function github(): Server {
  const server = new Server({ name: "github", version: "1.0.0" });
  const input = {
    type: "object",
    properties: { repo: { type: "string" }, title: { type: "string" } },
  } as const;
  server.addTool({ name: "create_issue", input }, (args) => JSON.stringify(args));
  server.addTool({ name: "admin_delete", annotations: { destructiveHint: true } }, () => "deleted");
  return server;
}

async function connect(server: Server): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return new Client({ name: "test", version: "1.0.0" }).connect(here);
}

test("a program, a remote server and a document that are not there are each named", async () => {
  const down = new Set<string>();
  const server = mixed("http://127.0.0.1:9/mcp", (_, source) => void down.add(source));
  await using session = await connect(server);
  expect((await session.listTools()).tools).toEqual([]);
  expect([...down].toSorted()).toEqual(["clock", "notes", "weather"]);
  await server.close();
});

test("the transforms of the page rename, fix and hide", async () => {
  const server = transformed(github(), github());
  await using session = await connect(server);
  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["report_bug", "mcp__calendar__create_issue"]);
  const { content } = await session.callTool({ name: "report_bug", arguments: { summary: "broken" } });
  expect(content).toEqual([{ type: "text", text: '{"title":"broken","repo":"acme/product"}' }]);
  await server.close();
});

test("a user without the right neither sees nor calls what is not marked as read-only", async () => {
  const shop = new Server({ name: "shop", version: "1.0.0" });
  shop.addTool({ name: "find", annotations: { readOnlyHint: true } }, () => "found");
  shop.addTool({ name: "order" }, () => "ordered");
  const users = new Map([
    ["Bearer a", { principal: "ada", scopes: ["write"] }],
    ["Bearer b", { principal: "bob" }],
  ]);
  await using listening = await forUsers({ shop }, users);
  const open = (token: string): Promise<ClientSession> =>
    new Client({ name: "test", version: "1.0.0" }).connect(
      new StreamableClientTransport(listening.url, { headers: { authorization: token } }),
    );
  await using ada = await open("Bearer a");
  await using bob = await open("Bearer b");
  const order = { name: "mcp__shop__order" };
  // Before any list is known.
  await expect(bob.callTool(order)).rejects.toThrow("Unknown tool: mcp__shop__order");
  expect((await bob.listTools()).tools.map(({ name }) => name)).toEqual(["mcp__shop__find"]);
  expect((await bob.callTool({ name: "mcp__shop__find" })).isError).toBeUndefined();
  expect((await ada.listTools()).tools).toHaveLength(2);
  expect((await ada.callTool(order)).content).toEqual([{ type: "text", text: "ordered" }]);
});

test("the search of the page finds what the user may see", async () => {
  const server = searching({ github: github() });
  await using session = await connect(server);
  const found = await session.callTool({ name: "search_tools", arguments: { query: "delete issue" } });
  expect(JSON.stringify(found.content)).toContain("create_issue");
  expect(JSON.stringify(found.content)).not.toContain("admin");
  await server.close();
});

test("the tools of a manager are fitted as the page says", async () => {
  const server = github();
  await using manager = new Manager({
    servers: {
      gh: {
        type: "custom",
        transport: () => ({
          connect: async (options) => {
            const [here, there] = createInMemoryTransports();
            await server.connect(there);
            return here.connect(options);
          },
        }),
      },
    },
  });
  await manager.connectAll();
  const printed: unknown[] = [];
  const print = (value: unknown): void => void printed.push(value);
  const handle = await fitted(manager, print);
  const result = await handle("mcp__gh__create_issue", { title: "t" });
  expect(result).toMatchObject({ content: [{ text: '{"title":"t"}' }] });
  expect(printed).toEqual([expect.stringMatching(/^\d+ tokens, all: 2 definitions$/)]);
});
