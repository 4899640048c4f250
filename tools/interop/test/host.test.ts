import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { nodeTransports } from "@tenon/host/node";
import { Manager, type StdioSpec } from "@tenon/sdk/host";
import { expect, test } from "vitest";

import {
  everythingServer,
  filesystemServer,
  memoryServer,
  officialHttpServer,
  thinkingServer,
} from "./paths.ts";

const program = (...args: string[]): StdioSpec => ({ type: "stdio", command: process.execPath, args });

interface Process extends AsyncDisposable {
  readonly port: number;
  readonly pid: number | undefined;
  /** As `kill -9` would. */
  kill(): Promise<void>;
}

/** Starts an official server over HTTP as a process of its own. */
async function start(version: "v1" | "v2", port = 0): Promise<Process> {
  const child: ChildProcess = spawn(process.execPath, [officialHttpServer, version, String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", resolve);
    child.once("error", reject);
    void exited.then(() => reject(new Error("The server ended before it listened.")));
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { port: Number(line), pid: child.pid, kill, [Symbol.asyncDispose]: kill };
}

const sum = { a: 2, b: 3 };
const five = [{ type: "text", text: "5" }];

test("the four npm servers over stdio and the official SDKs, versions 1 and 2, over HTTP are members of one manager", async () => {
  const folder = await mkdtemp(join(tmpdir(), "host-"));
  await writeFile(join(folder, "hello.txt"), "hello from a file");
  await using v1 = await start("v1");
  await using v2 = await start("v2");
  const far = (port: number, path = "mcp"): string => `http://127.0.0.1:${port}/${path}`;
  const manager = new Manager({
    servers: {
      everything: program(everythingServer, "stdio"),
      files: program(filesystemServer, folder),
      memory: { ...program(memoryServer), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
      thinking: program(thinkingServer),
      v1: { type: "http", url: far(v1.port) },
      "v1-sse": { type: "sse", url: far(v1.port, "sse") },
      v2: { type: "http", url: far(v2.port) },
    },
    transports: nodeTransports(),
  });
  const { ready, failed } = await manager.connectAll();
  expect([...failed]).toEqual([]);
  expect(ready).toEqual(["everything", "files", "memory", "thinking", "v1", "v1-sse", "v2"]);
  const eras = Object.fromEntries(ready.map((name) => [name, manager.get(name)?.era]));
  expect(eras).toMatchObject({ everything: "legacy", v1: "legacy", "v1-sse": "legacy", v2: "modern" });

  const tools = await manager.tools();
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(ready));
  const textOf = async (name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const { content, isError } = await manager.callToolByName(name, args);
    expect(isError ?? false).toBe(false);
    return content;
  };
  expect(await textOf("mcp__everything__echo", { message: "mortise" })).toMatchObject([
    { text: "Echo: mortise" },
  ]);
  expect(await textOf("mcp__files__read_text_file", { path: join(folder, "hello.txt") })).toMatchObject([
    { text: "hello from a file" },
  ]);
  await textOf("mcp__memory__create_entities", {
    entities: [{ name: "tenon", entityType: "joint", observations: ["fits a mortise"] }],
  });
  expect(JSON.stringify(await textOf("mcp__memory__search_nodes", { query: "mortise" }))).toContain("joint");
  expect(
    JSON.stringify(
      await textOf("mcp__thinking__sequentialthinking", {
        thought: "Seven servers.",
        thoughtNumber: 1,
        totalThoughts: 1,
        nextThoughtNeeded: false,
      }),
    ),
  ).toContain("thoughtNumber");
  for (const name of ["v1", "v1-sse", "v2"]) {
    expect(await textOf(`mcp__${name}__add`, sum)).toEqual(five);
  }
  expect(await manager.readResource("v1", "notes://1")).toMatchObject({ contents: [{ text: "first" }] });
  await manager.close();
  await rm(folder, { recursive: true });
});

test.each(["v1", "v2"] as const)(
  "a member on the official SDK %s that is killed and started again is called again; a call meanwhile has certainly not reached it",
  async (version) => {
    const before = await start(version);
    await using manager = new Manager({
      servers: { far: { type: "http", url: `http://127.0.0.1:${before.port}/mcp` } },
      transports: nodeTransports(),
      reconnect: { initialDelayMs: 1 },
    });
    await manager.connectAll();
    expect((await manager.callTool("far", "pid")).content).toEqual([
      { type: "text", text: String(before.pid) },
    ]);
    await before.kill();
    // The loop hears of the closed sockets in its next rounds; a request on one of them might have
    // arrived.
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    await expect(manager.callTool("far", "add", sum)).rejects.toMatchObject({
      server: "far",
      delivered: "no",
      retryable: true,
    });
    await using after = await start(version, before.port);
    if (manager.get("far") === undefined) {
      await manager.connect("far");
    }
    expect((await manager.callTool("far", "add", sum)).content).toEqual(five);
    expect((await manager.callTool("far", "pid")).content).toEqual([
      { type: "text", text: String(after.pid) },
    ]);
  },
);
