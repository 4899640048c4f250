import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test } from "vitest";

const here = import.meta.dirname;
const built = (name: string): string => join(here, "../dist", name);

/** The lines of a program that are no imports. */
async function statements(name: string): Promise<string[]> {
  const source = await readFile(join(here, "../src", name), "utf8");
  return source.split("\n").filter((line) => line !== "" && !line.startsWith("import "));
}

test("over HTTP the server takes one line more than over stdio", async () => {
  const stdio = await statements("server.ts");
  const http = await statements("http-server.ts");
  expect(http.slice(0, 2)).toEqual(stdio.slice(0, 2));
  expect(http).toHaveLength(stdio.length + 1);
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "notes are kept over HTTP in revision %s",
  async (revision) => {
    const folder = await mkdtemp(join(tmpdir(), "notes-"));
    const server = spawn(process.execPath, [built("http-server.js"), join(folder, "notes.json")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(server, "exit");
    try {
      const [url] = (await once(createInterface(server.stdout), "line")) as [string];
      const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
      await using session = await client.connect(new StreamableClientTransport(url, { eras: false }));
      expect(session.revision).toBe(revision);
      await session.callTool({ name: "add_note", arguments: { title: "Mortise", body: "A hole." } });
      const { content } = await session.callTool({ name: "search_notes", arguments: { text: "hole" } });
      expect(JSON.stringify(content)).toContain("Mortise");
    } finally {
      server.kill();
      await exited;
      await rm(folder, { recursive: true });
    }
  },
);
