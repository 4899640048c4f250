import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

import { everythingServer, officialServer } from "./paths.ts";

const client = new Client({ name: "tenon-interop", version: "1.0.0" });

test("our client lists and calls tools of the everything server over stdio, falling back to the legacy era", async () => {
  await using session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [everythingServer, "stdio"], stderr: "ignore" }),
  );
  expect(session.era).toBe("legacy");
  expect(session.serverInfo?.name).toContain("everything");

  const { tools } = await session.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["echo", "get-sum", "get-structured-content"]));

  const echoed = await session.callTool({ name: "echo", arguments: { message: "mortise" } });
  expect(echoed.content).toEqual([{ type: "text", text: "Echo: mortise" }]);

  const sum = await session.callTool({ name: "get-sum", arguments: { a: 2, b: 3 } });
  expect(JSON.stringify(sum.content)).toContain("5");

  const structured = await session.callTool({
    name: "get-structured-content",
    arguments: { location: "New York" },
  });
  expect(structured.structuredContent).toMatchObject({ temperature: expect.any(Number) as number });
  await session.ping();
});

test("progress of the everything server arrives before the result and in order", async () => {
  await using session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [everythingServer, "stdio"], stderr: "ignore" }),
  );
  const seen: number[] = [];
  await session.callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 0.4, steps: 4 } },
    { onProgress: ({ progress }) => seen.push(progress) },
  );
  expect(seen).toEqual([1, 2, 3, 4]);
});

test("our client speaks the modern era with a server on the official SDK, version 2", async () => {
  await using session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [officialServer], stderr: "ignore" }),
  );
  expect(session.era).toBe("modern");
  expect(session.revision).toBe("2026-07-28");

  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["add"]);

  const sum = await session.callTool({ name: "add", arguments: { a: 2, b: 3 } });
  expect(sum.content).toEqual([{ type: "text", text: "5" }]);
  await expect(session.callTool({ name: "nothing" })).rejects.toMatchObject({ code: -32602 });
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const)(
  "our client in revision %s talks to a server on the official SDK, version 2",
  async (revision) => {
    const legacy = new Client({ name: "tenon-interop", version: "1.0.0" }, { revisions: [revision] });
    await using session = await legacy.connect(
      new CommandTransport({ command: process.execPath, args: [officialServer], stderr: "ignore" }),
    );
    expect(session.revision).toBe(revision);
    const sum = await session.callTool({ name: "add", arguments: { a: 2, b: 3 } });
    expect(sum.content).toEqual([{ type: "text", text: "5" }]);
  },
);
