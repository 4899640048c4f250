import { fileURLToPath } from "node:url";

import { Client } from "@tenon/mcp/client";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { afterAll, expect, test } from "vitest";

import { converse, type Call } from "./support/converse.mjs";
import { commandWith, removeFolders } from "./support/install.mjs";

interface Tool {
  readonly name: string;
}

const folder = fileURLToPath(new URL("fixtures", import.meta.url));

/** Arguments for the tools of the four servers; a tool passes over what it does not know. */
const args = {
  message: "hi",
  a: 1,
  b: 2,
  path: folder,
  messageType: "success",
  resourceType: "Text",
  resourceId: 1,
  duration: 0.1,
  steps: 2,
  location: "New York",
  query: "x",
  entities: [],
  names: ["x"],
};
/** Tools whose results differ from run to run, or that change files. */
const left = /gzip|write|edit|move|create|delete|toggle|directory_tree|search_files|get-env/;

async function everything(call: Call): Promise<void> {
  const { result } = await call("tools/list");
  for (const { name } of (result?.["tools"] ?? []) as readonly Tool[]) {
    if (!left.test(name)) {
      await call("tools/call", { name, arguments: args });
    }
  }
  for (const method of ["resources/list", "resources/templates/list", "prompts/list", "nothing/at/all"]) {
    await call(method);
  }
  await call("tools/call", { name: "no-such-tool" });
}

afterAll(removeFolders);

/** Times of day differ from run to run. */
const steady = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\d{1,2}:\d\d:\d\d [AP]M/g, "now"));

test.for([
  ["everything", [], "roots/list"],
  ["filesystem", [folder], "roots/list"],
  ["memory", [], undefined],
  ["sequential-thinking", [], undefined],
] as const)(
  "server-%s runs unchanged: as with the original, and in the modern era",
  async ([name, options, afterAsked]) => {
    const command = `@modelcontextprotocol/server-${name}`;
    const file = commandWith("tenon", command);
    const [original, tenon] = await Promise.all([
      converse(commandWith("original", command), options, everything, { afterAsked }),
      converse(file, options, everything, { afterAsked }),
    ]);
    expect(steady(tenon)).toStrictEqual(steady(original));
    expect(tenon.results.length).toBeGreaterThan(6);

    await using client = new Client({ name: "modern", version: "1.0.0" });
    const session = await client.connect(
      new CommandTransport({ command: process.execPath, args: [file, ...options] }),
    );
    expect(session.revision >= "2026").toBe(true);
    const { tools } = await session.listTools();
    const listed = tenon.results.find(({ result }) => result?.["tools"] !== undefined)?.result;
    const before = ((listed?.["tools"] ?? []) as readonly Tool[]).map((each) => each.name);
    expect(before.filter((each) => !tools.some((tool) => tool.name === each))).toStrictEqual(
      // Tools that the server adds for a client with these capabilities: this client has none.
      before.filter((each) => /roots|sampling|elicitation/.test(each)),
    );
  },
);
