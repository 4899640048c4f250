import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { installPacks } from "@tenon/test-support/packs";
import { afterAll, beforeAll, expect, test } from "vitest";

const exec = promisify(execFile);

let folder = "";
let bin = "";

/** Installs the packed package as npm would: its files and nothing else. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consumer-cli-"));
  const [target = ""] = await installPacks(["packages/cli"], join(folder, "node_modules"));
  bin = join(target, "dist/bin.js");
  await writeFile(join(folder, "server.mjs"), server);
  await writeFile(join(folder, "hooks.mjs"), hooks);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A server without dependencies. */
const server = `import { createInterface } from "node:readline";
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "plain", version: "1" } },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "echoed" }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const result = results[method];
  if (id !== undefined) {
    const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  }
});
`;

/** Writes the URL of every module that is loaded to standard error. */
const hooks = `import { register } from "node:module";
const load = "export function load(url, context, next) { if (url.startsWith('file:')) process._rawDebug(url); return next(url, context); }";
register("data:text/javascript," + encodeURIComponent(load));`;

const target = ["--", process.execPath, "server.mjs"];

async function tenon(...argv: readonly string[]): Promise<string> {
  return (await exec(process.execPath, [bin, ...argv], { cwd: folder })).stdout;
}

/** Starts a command that prints an address, and reads the address. */
async function address(...argv: readonly string[]): Promise<{ url: string; end: () => Promise<void> }> {
  const child = spawn(process.execPath, [bin, ...argv], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const end = async (): Promise<void> => {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: line, end };
  }
  throw new Error(`tenon ${argv.join(" ")} printed no address.`);
}

test("the packed command line depends on nothing, names the licenses of what is in it, and is below 3 MB", async () => {
  const root = join(bin, "../..");
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as object;
  expect(manifest).not.toHaveProperty("dependencies");
  const files = await readdir(root, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => stat(join(root, file))));
  const bytes = sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
  expect(bytes).toBeLessThanOrEqual(3_000_000);
  const licenses = await readFile(join(root, "dist/licenses.txt"), "utf8");
  for (const name of ["commander", "undici", "yaml", "@clack/prompts"]) {
    expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+ \\(\\w+\\)$`, "m"));
  }
});

test("the help text loads few files, and no parser of options", async () => {
  const args = ["--import", "./hooks.mjs", bin, "--help"];
  const { stdout, stderr } = await exec(process.execPath, args, { cwd: folder });
  expect(stdout).toContain("Exit codes");
  const files = stderr.split("\n").filter((line) => line.includes("/dist/"));
  expect(files.length).toBeLessThanOrEqual(10);
  const texts = await Promise.all(files.map((url) => readFile(new URL(url), "utf8")));
  expect(texts.join("")).not.toContain("CommanderError");
});

test("the packed command line lists, calls, records, taps and generates", async () => {
  expect(await tenon("tools", ...target)).toContain("echo()");
  expect(await tenon("call", "echo", ...target)).toBe("echoed\n");
  expect(await tenon("record", "--out", "tape.jsonl", "--call", "echo", ...target)).toContain("entries");
  expect(await tenon("tools", "tape.jsonl")).toContain("echo()");
  expect(await tenon("call", "echo", "--", process.execPath, bin, "tap", ...target)).toBe("echoed\n");
  expect(await readFile(join(folder, "tenon-tap.jsonl"), "utf8")).toContain("tools/call");
  expect(await tenon("generate", "cli", ...target)).toContain('const info = {"name":"plain"');
  expect(await tenon("completion", "bash")).toContain("doctor");
});

test("the packed command line serves both eras over HTTP, and the page of the inspector", async () => {
  const serving = await address("serve", "--http", ...target);
  try {
    const explained = JSON.parse(await tenon("list", serving.url, "--json")) as { revision: string };
    const legacy = JSON.parse(
      await tenon("list", serving.url, "--json", "--revision", "2025-06-18"),
    ) as typeof explained;
    expect(explained.revision).not.toBe(legacy.revision);
  } finally {
    await serving.end();
  }
  const inspecting = await address("inspect", "tape.jsonl", "--no-open");
  try {
    const page = await fetch(inspecting.url);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  } finally {
    await inspecting.end();
  }
});
