import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, type ClientSession } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

import { createNotesServer } from "../src/notes.ts";
import { openStore } from "../src/store.ts";

interface Fixture extends AsyncDisposable {
  readonly session: ClientSession;
  readonly file: string;
}

async function connected(revision: "2025-11-25" | "2026-07-28"): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), "notes-"));
  const file = join(folder, "notes.json");
  const [here, there] = createInMemoryTransports();
  await createNotesServer(openStore(file)).connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] }).connect(
    here,
  );
  return {
    session,
    file,
    async [Symbol.asyncDispose]() {
      await session.close();
      await rm(folder, { recursive: true });
    },
  };
}

const mortise = { title: "Mortise", body: "The hole that a tenon fits into.", tags: ["wood"] };

test.each(["2025-11-25", "2026-07-28"] as const)(
  "notes are added, found and listed in revision %s",
  async (revision) => {
    await using fixture = await connected(revision);
    const { session } = fixture;
    const added = await session.callTool({ name: "add_note", arguments: mortise });
    expect(added.structuredContent).toEqual({ id: 1, ...mortise });
    const found = await session.callTool({ name: "search_notes", arguments: { text: "HOLE" } });
    expect(found.structuredContent).toEqual({ notes: [{ id: 1, ...mortise }] });
    const tagged = await session.callTool({ name: "list_notes", arguments: { tag: "stone" } });
    expect(tagged.structuredContent).toEqual({ notes: [] });
  },
);

test.each([
  ["an empty title", { title: "", body: "x" }, "title"],
  ["a missing body", { title: "x" }, "body"],
  ["an unknown property", { title: "x", body: "y", colour: "red" }, "colour"],
  ["a title that is taken", mortise, "already"],
])("%s is refused with a clear error and the file stays as it was", async (_, args, hint) => {
  await using fixture = await connected("2026-07-28");
  const { session, file } = fixture;
  await session.callTool({ name: "add_note", arguments: mortise });
  const before = await readFile(file, "utf8");
  const refused = await session.callTool({ name: "add_note", arguments: args });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toContain(hint);
  expect(await readFile(file, "utf8")).toBe(before);
});

test("a hundred notes added at once are all kept, each with its own id", async () => {
  await using fixture = await connected("2026-07-28");
  const { session } = fixture;
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      session.callTool({ name: "add_note", arguments: { title: `note ${index}`, body: "" } }),
    ),
  );
  const listed = await session.callTool({ name: "list_notes" });
  const { notes } = listed.structuredContent as { notes: { id: number }[] };
  expect(new Set(notes.map(({ id }) => id)).size).toBe(100);
});

test("a broken file is reported without its path and is not overwritten", async () => {
  await using fixture = await connected("2026-07-28");
  const { session, file } = fixture;
  await writeFile(file, "not json");
  const failed = await session.callTool({ name: "add_note", arguments: mortise });
  expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: "The tool failed." }] });
  expect(await readFile(file, "utf8")).toBe("not json");
});

test("the built server lists its tools", async () => {
  await using folder = {
    path: await mkdtemp(join(tmpdir(), "notes-")),
    [Symbol.asyncDispose]: async () => {},
  };
  await using session = await new Client({ name: "test", version: "1.0.0" }).connect(
    new CommandTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, "../dist/server.js"), join(folder.path, "notes.json")],
    }),
  );
  expect(session.revision).toBe("2026-07-28");
  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["add_note", "list_notes", "search_notes"]);
  await rm(folder.path, { recursive: true });
});
