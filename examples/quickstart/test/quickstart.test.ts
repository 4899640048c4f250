import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");
const legacyServer = join(import.meta.dirname, "fixtures/legacy-server.mjs");

test.each([
  ["the server of the README", join(dist, "server.js")],
  ["a server that knows handshakes alone", legacyServer],
])("the client of the README starts %s, lists its tool and calls it", async (_, server) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(dist, "client.js"), server]);
  expect(stdout).toBe("greet\n[ { type: 'text', text: 'Hello, you!' } ]\n");
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "the server of the README serves clients of %s, all from one process (R-149, R-264)",
  async (revision) => {
    const transport = new CommandTransport({ command: process.execPath, args: [join(dist, "server.js")] });
    const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
    await using session = await client.connect(transport);
    for (const name of ["Ada", "Grace"]) {
      const { content } = await session.callTool({ name: "greet", arguments: { name } });
      expect(content).toEqual([{ type: "text", text: `Hello, ${name}!` }]);
    }
    expect(session.revision).toBe(revision);
  },
);
