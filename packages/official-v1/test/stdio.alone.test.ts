import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

import { textOf } from "@tenon/mcp";
import { Client } from "@tenon/mcp/client";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { Server } from "../src/entry/server/index.ts";
import { StdioServerTransport } from "../src/entry/server/stdio.ts";
import type { JSONRPCMessage } from "../src/entry/types.ts";
import { converse } from "./support/converse.mjs";
import { folderWith, removeFolders } from "./support/install.mjs";

afterAll(removeFolders);

const read = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
const tool = (name: string, args = {}, more = {}): readonly [string, object] => [
  "tools/call",
  { name, arguments: args, ...more },
];
const requests: readonly (readonly [string, object?])[] = [
  ["tools/list"],
  tool("add", { a: 1 }),
  tool("add", { a: "x" }),
  tool("fail"),
  tool("count", { to: 3 }, { _meta: { progressToken: 7 } }),
  tool("book", { room: "R1" }),
  tool("both"),
  tool("grow"),
  tool("nope"),
  ["resources/list"],
  ["resources/templates/list"],
  ["resources/read", { uri: "books://shelf" }],
  ["resources/read", { uri: "books://none/x" }],
  ["prompts/list"],
  ["prompts/get", { name: "review", arguments: { title: "t" } }],
  ["prompts/get", { name: "none" }],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "books://{id}" }, argument: { name: "id", value: "a" } },
  ],
  ["nothing/at/all"],
  ["ping"],
  ["logging/setLevel", { level: "error" }],
  ["tools/call", {}],
];

test.for(["books.mjs", "books.cjs"])(
  "%s of the official SDK, unchanged, answers a legacy client message for message as with the original",
  async (name) => {
    const files = { [name]: read(name) };
    const [original, tenon] = await Promise.all(
      (["original", "tenon"] as const).map((sdk) =>
        converse(join(folderWith(sdk, files), name), [], requests),
      ),
    );
    expect(tenon).toStrictEqual(original);
  },
);

test("the same program serves a modern client, and a handler with questions runs once", async () => {
  const runs = join(mkdtempSync(join(tmpdir(), "runs-")), "runs");
  const folder = folderWith("tenon", { "books.mjs": read("books.mjs") });
  const changes: string[] = [];
  const logs: unknown[] = [];
  await using client = new Client(
    { name: "modern", version: "1.0.0" },
    {
      elicitation: {
        form: ({ message }) => ({
          action: "accept",
          content: message === "Your name?" ? { name: "Ada" } : { sure: true },
        }),
      },
      roots: [{ uri: "file:///a" }],
      sampling: {
        createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "sampled" } }),
      },
      onLog: ({ data }) => void logs.push(data),
      onToolsChanged: () => void changes.push("tools"),
    },
  );
  const transport = new CommandTransport({
    command: process.execPath,
    args: [join(folder, "books.mjs")],
    env: { RUNS: runs },
  });
  const session = await client.connect(transport);
  expect(session.revision >= "2026").toBe(true);
  expect(session.instructions).toBe("Ask before booking.");
  expect(session.serverCapabilities).toMatchObject({ experimental: { shelf: { depth: 2 } }, logging: {} });

  const call = async (name: string, args = {}): Promise<string> =>
    textOf(await session.callTool({ name, arguments: args }));
  expect(await call("add", { a: 1 })).toBe("2");
  expect(await call("add", { a: "x" })).toContain("MCP error -32602: Input validation error");
  expect(await call("fail")).toBe("line 1\nline 2");
  expect(await call("book", { room: "R1" })).toBe("R1 Ada accept");
  expect(await call("book", { room: "R2" })).toBe("R2 Ada accept");
  expect(readFileSync(runs, "utf8")).toBe("R1\nR2\n");
  expect(await call("both")).toBe("1 sampled");

  const progress: number[] = [];
  await session.callTool(
    { name: "count", arguments: { to: 3 } },
    { onProgress: (each) => void progress.push(each.progress) },
  );
  expect(progress).toStrictEqual([1, 2, 3]);
  expect(logs).toStrictEqual(["counted"]);

  expect((await session.readResource({ uri: "books://b7" })).contents).toMatchObject([{ text: "b7" }]);
  expect(await session.getPrompt({ name: "review", arguments: { title: "t" } })).toMatchObject({
    messages: [{ content: { text: "Review t" } }],
  });
  await expect(session.getPrompt({ name: "none" })).rejects.toThrow("Prompt none not found");
});

test("an onmessage of the program may pass messages on later, and drop some or fail", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const server = new Server({ name: "server", version: "1.0.0" }, { capabilities: {} });
  const transport = new StdioServerTransport(stdin, stdout);
  await server.connect(transport);
  const errors: string[] = [];
  server.onerror = ({ message }) => void errors.push(message);
  server.onclose = () => void stdout.end();
  const { onmessage } = transport;
  const later = async (message: JSONRPCMessage): Promise<void> => {
    await new Promise(setImmediate);
    const id = "id" in message ? message.id : undefined;
    if (id === 3) {
      throw new Error("no threes");
    }
    if (id !== 2) {
      onmessage?.call(transport, message);
    }
  };
  Object.assign(transport, { onmessage: later });
  stdin.end([1, 2, 3, 4].map((id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`).join(""));
  const lines = (await text(stdout)).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual([
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 4, result: {} },
  ]);
  expect(errors).toStrictEqual(["no threes"]);
});

test("a server ends with its client although a handler never settles", async () => {
  const program = read("books.mjs").replace(
    'throw new Error("line 1\\nline 2");',
    'process.stderr.write("called"); return new Promise(() => {});',
  );
  const file = join(folderWith("tenon", { "server.mjs": program }), "server.mjs");
  const child = spawn(process.execPath, [file], { stdio: "pipe" });
  onTestFinished(() => void child.kill());
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "fail" } };
  child.stdin.write(`${JSON.stringify(call)}\n`);
  const [data] = (await once(child.stderr, "data")) as [Buffer];
  expect(String(data)).toBe("called");
  child.stdin.end();
  expect(await once(child, "exit")).toStrictEqual([0, null]);
});

test("a server that is closed while it connects is closed", async () => {
  const server = new Server({ name: "server", version: "1.0.0" }, { capabilities: {} });
  let closed = 0;
  server.onclose = () => void closed++;
  const connecting = server.connect(new StdioServerTransport(new PassThrough(), new PassThrough()));
  await server.close();
  await connecting;
  expect({ closed, transport: server.transport }).toStrictEqual({ closed: 1, transport: undefined });
});

test("a line above the limit closes the connection before its end, as with the official transport", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const server = new Server({ name: "server", version: "1.0.0" }, { capabilities: {} });
  const errors: string[] = [];
  server.onerror = ({ message }) => void errors.push(message);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: 100 }));
  stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
  stdin.write("x".repeat(101));
  await closed;
  expect(errors).toStrictEqual(["ReadBuffer exceeded maximum size of 100 bytes"]);
});
