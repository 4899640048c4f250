import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client, type ClientSession } from "@tenon/sdk/client";
import { Manager, type CustomSpec } from "@tenon/sdk/host";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { expect, test, vi } from "vitest";

import { createGateway } from "../src/gateway.ts";

const specOf = (server: Server): CustomSpec => ({
  type: "custom",
  transport: () => ({
    async connect(options) {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here.connect(options);
    },
  }),
});

async function namesOf(session: ClientSession): Promise<readonly string[]> {
  const { tools } = await session.listTools({}, { fresh: true });
  return tools.map(({ name }) => name);
}

test("the gateway offers the tools of all servers, follows their changes, passes progress on and hides what deletes", async () => {
  const one = new Server({ name: "one", version: "1.0.0" });
  one.addTool({ name: "steps" }, async (_, ctx) => {
    await ctx.progress(1, 2, "half");
    return "done";
  });
  const two = new Server({ name: "two", version: "1.0.0" });
  two.addTool({ name: "ping" }, () => "pong");
  two.addTool({ name: "delete_all" }, () => "deleted");
  await using manager = new Manager({ servers: { one: specOf(one), two: specOf(two) } });
  await manager.connectAll();
  await using gateway = createGateway(manager);
  const [here, there] = createInMemoryTransports();
  await gateway.connect(there);
  await using session = await new Client({ name: "test", version: "1.0.0" }).connect(here);
  expect(await namesOf(session)).toEqual(["mcp__one__steps", "mcp__two__ping"]);

  const seen: string[] = [];
  const result = await session.callTool(
    { name: "mcp__one__steps" },
    { onProgress: ({ message }) => void seen.push(message ?? "") },
  );
  expect(result.content).toEqual([{ type: "text", text: "done" }]);
  expect(seen).toEqual(["half"]);

  two.addTool({ name: "more" }, () => "more");
  await vi.waitFor(async () => expect(await namesOf(session)).toContain("mcp__two__more"));
  two.removeTools("ping");
  await vi.waitFor(async () => expect(await namesOf(session)).not.toContain("mcp__two__ping"));
  const hidden = session.callTool({ name: "mcp__two__delete_all" });
  await expect(hidden).rejects.toMatchObject({ code: -32_602 });
});

test("the program serves a configuration file over HTTP", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-gateway-"));
  const file = join(folder, "mcp.json");
  const clock = join(import.meta.dirname, "../../clock/dist/stdio.js");
  await writeFile(
    file,
    JSON.stringify({ mcpServers: { clock: { command: process.execPath, args: [clock] } } }),
  );
  const program = join(import.meta.dirname, "../dist/http.js");
  const child = spawn(process.execPath, [program, file], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    const [url] = (await once(createInterface(child.stdout), "line")) as [string];
    const client = new Client({ name: "test", version: "1.0.0" });
    const session = await client.connect(new StreamableClientTransport(url));
    const { content } = await session.callTool({
      name: "mcp__clock__time_in",
      arguments: { zone: "Asia/Tokyo" },
    });
    expect(JSON.stringify(content)).toContain("Asia/Tokyo");
    await session.close();
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});
