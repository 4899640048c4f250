import { fileURLToPath } from "node:url";

import { Client } from "@tenon/sdk";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../dist/server.js", import.meta.url));

test("the operations of the API are a tool and a resource, and work without a network", async () => {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new CommandTransport({ command: process.execPath, args: [program] });
  await using session = await client.connect(transport);
  const comic = await session.callTool({ name: "getComic", arguments: { number: 1 } });
  expect(comic.structuredContent).toMatchObject({ num: 1, title: "A mortise" });
  const missing = await session.callTool({ name: "getComic", arguments: { number: 9 } });
  expect(missing).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("404") as string }],
  });
  const { contents } = await session.readResource({ uri: "openapi://xkcd/info.0.json" });
  expect(contents).toMatchObject([{ mimeType: "application/json" }]);
});
