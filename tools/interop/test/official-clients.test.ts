import { join } from "node:path";

import { Client as ClientV2, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";

import { temporaryFolder } from "./folder.ts";
import { notesServer } from "./paths.ts";

const info = { name: "official", version: "1.0.0" };
const tools = ["add_note", "list_notes", "search_notes"];
const note = { title: "Mortise", body: "The hole that a tenon fits into." };

const modes: [string, NonNullable<ClientOptions["versionNegotiation"]>][] = [
  ["legacy", { mode: "legacy" }],
  ["auto", { mode: "auto" }],
  ["pinned to 2026-07-28", { mode: { pin: "2026-07-28" } }],
];

test.each(modes)(
  "the official client v2 in mode %s works with our notes server over stdio",
  async (_, versionNegotiation) => {
    await using folder = await temporaryFolder();
    const client = new ClientV2(info, { versionNegotiation });
    await client.connect(
      new StdioV2({
        command: process.execPath,
        args: [notesServer, join(folder.path, "notes.json")],
        stderr: "inherit",
      }),
    );
    try {
      const listed = await client.listTools();
      expect(listed.tools.map(({ name }) => name)).toEqual(tools);

      const added = await client.callTool({ name: "add_note", arguments: note });
      expect(added.structuredContent).toEqual({ id: 1, ...note, tags: [] });

      const found = await client.callTool({ name: "search_notes", arguments: { text: "HOLE" } });
      expect(found.structuredContent).toEqual({ notes: [{ id: 1, ...note, tags: [] }] });

      const refused = await client.callTool({ name: "add_note", arguments: { title: "" } });
      expect(refused.isError).toBe(true);
    } finally {
      await client.close();
    }
  },
);

test("the official client v1 works with our notes server over stdio", async () => {
  await using folder = await temporaryFolder();
  const client = new ClientV1(info);
  await client.connect(
    new StdioV1({
      command: process.execPath,
      args: [notesServer, join(folder.path, "notes.json")],
      stderr: "inherit",
    }),
  );
  try {
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools);

    const added = await client.callTool({ name: "add_note", arguments: note });
    expect(added.structuredContent).toEqual({ id: 1, ...note, tags: [] });

    const again = await client.callTool({ name: "add_note", arguments: note });
    expect(again.isError).toBe(true);
    expect(JSON.stringify(again.content)).toContain("already");
    await client.ping();
  } finally {
    await client.close();
  }
});
