import { fileURLToPath } from "node:url";

import { Client, textOf } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

const server = fileURLToPath(new URL("../dist/server.js", import.meta.url));

test.for(["2025-11-25", "2026-07-28"] as const)(
  "a server of the official SDK, unchanged, books once in %s",
  async (revision) => {
    await using client = new Client(
      { name: "example", version: "1.0.0" },
      { revisions: [revision], elicitation: { form: () => ({ action: "accept", content: {} }) } },
    );
    const session = await client.connect(new CommandTransport({ command: process.execPath, args: [server] }));
    expect(session.revision).toBe(revision);
    const result = await session.callTool({ name: "book", arguments: { room: "R1" } });
    expect(textOf(result)).toBe("R1: accept, booked 1 times");
  },
);
