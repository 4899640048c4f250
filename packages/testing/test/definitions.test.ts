import { Server, type ClientSession } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { describe, expect, it } from "vitest";

import { definitionsOf } from "../src/definitions/collect.ts";
import { pair } from "../src/pair.ts";

describe.each(bothEras)("the definitions of a server that speaks %s", (revision) => {
  it("are sorted, without _meta, and empty for what the server does not offer", async () => {
    const server = new Server({ name: "any", version: "1.0.0" });
    server.addTool({ name: "b", _meta: { "example.com/build": 7 } }, () => "");
    server.addTool({ name: "a" }, () => "");
    await using connected = await pair(server, { revision });
    const definitions = await definitionsOf(connected.session);
    expect(definitions.tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(JSON.stringify(definitions)).not.toContain("_meta");
    expect(definitions).toMatchObject({ prompts: [], resources: [], resourceTemplates: [] });
  });
});

it("gives the same text for the same tools in another order", async () => {
  const first = { name: "a", inputSchema: { type: "object", title: "A" } };
  const second = { inputSchema: { title: "B", type: "object" }, name: "b" };
  const sessionOf = (...tools: object[]): ClientSession =>
    ({
      serverCapabilities: { tools: {} },
      async *tools() {
        yield* tools;
      },
    }) as unknown as ClientSession;
  const text = JSON.stringify(await definitionsOf(sessionOf(first, second)));
  const reordered = { inputSchema: { title: "A", type: "object" }, name: "a" };
  expect(JSON.stringify(await definitionsOf(sessionOf(second, reordered)))).toBe(text);
});
