import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ClientSession, Server } from "@tenon/mcp";
import { Client } from "@tenon/mcp";
import { eraOf, type Revision } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import {
  createReader,
  follow,
  listenTo,
  pagesOf,
  readAnew,
  readNotes,
  suggest,
  usePrompts,
  withProgress,
} from "./docs/library-client.ts";
import { createLibrary } from "./docs/library-server.ts";

interface Library extends AsyncDisposable {
  readonly server: Server;
  readonly session: ClientSession;
}

async function openLibrary(revision: Revision, client?: Client): Promise<Library> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-"));
  await writeFile(join(folder, "a.txt"), "a file");
  const server = createLibrary(folder);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const plain = new Client({ name: "plain", version: "1" }, { revisions: [revision] });
  const session = await (client ?? plain).connect(here);
  return {
    server,
    session,
    async [Symbol.asyncDispose]() {
      await session.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

test.each(bothEras)(
  "what docs/prompts.md and docs/completion.md show does what it says, in %s",
  async (revision) => {
    await using library = await openLibrary(revision);
    const lines = await usePrompts(library.session);
    expect(lines.slice(0, 3)).toEqual([
      "compare(lang, joint)",
      "explain(joint, audience)",
      "plan(beams, wood)",
    ]);
    expect(lines[3]).toContain("A plan for 4 tenons in oak, please.");
    expect(await suggest(library.session)).toEqual(["dado-join (German)", "dado-plane (German)"]);
  },
);

test.each(bothEras)(
  "what docs/resources.md and docs/pagination.md show does what it says, in %s",
  async (revision) => {
    await using library = await openLibrary(revision);
    const { session } = library;
    expect(await readNotes(session)).toEqual([
      "1\n2",
      "The hole that a tenon fits into.",
      "there is no notes://9/body",
    ]);
    const file = await session.readResource({ uri: "file:///a.txt" });
    expect(file.contents).toEqual([{ uri: "file:///a.txt", mimeType: "text/plain", text: "a file" }]);
    expect(await pagesOf(session)).toBe(1);
  },
);

test.each(bothEras)("what docs/subscriptions.md shows does what it says, in %s", async (revision) => {
  await using library = await openLibrary(revision);
  const { session } = library;
  const write = (): void =>
    void session.callTool({ name: "write", arguments: { id: "1", text: "Changed." } });
  expect(await follow(session, write, 1)).toEqual(["Changed."]);
  const listening = listenTo(session, []);
  if (eraOf(revision) === "modern") {
    expect(await listening).toEqual(["notes://1/body"]);
  } else {
    await expect(listening).rejects.toMatchObject({ code: "NOT_IN_REVISION" });
  }
});

test("what docs/logging.md, docs/progress.md and docs/caching.md show does what it says", async () => {
  const lines: string[] = [];
  let account = "ada";
  const reader = createReader(
    (line) => lines.push(line),
    () => account,
  );
  await using library = await openLibrary(modernRevision, reader);
  const { session } = library;
  await session.callTool({ name: "tidy" });
  expect(lines).toEqual(['warning: {"msg":"nothing to do"}']);
  expect(await withProgress(session)).toEqual(["1/2 note 1", "2/2 note 2"]);
  expect(await session.listTools()).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
  account = "bob";
  expect(await readAnew(session)).toBe(3);
});
