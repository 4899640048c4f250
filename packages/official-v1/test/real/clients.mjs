// Runs three client programs of npm on the original SDK and on this package: the official inspector's command line, mcp-remote, and an adapter of a framework.
// node test/real/clients.mjs <folder>, after a build. It installs them in the folder, without their scripts, and keeps them. Their servers have the same SDK.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { sdks } from "../support/install.mjs";

const [given] = process.argv.slice(2);
if (given === undefined) {
  console.log("Skipped: 3 client programs. Give a folder to install them in.");
  process.exit(0);
}
const folder = resolve(given);
const packages = [
  "@modelcontextprotocol/inspector@0.15.0",
  "mcp-remote@0.15.1",
  "@langchain/mcp-adapters@1.1.4",
  "@langchain/core@1.4.0",
];
const modules = join(folder, "node_modules");
if (!existsSync(modules)) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const args = ["install", ...packages, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) {
    process.exit(1);
  }
}
const books = join(folder, "books.mjs");
cpSync(fileURLToPath(new URL("../fixtures/books.mjs", import.meta.url)), books);
writeFileSync(
  join(folder, "http.mjs"),
  `import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
createServer(async (request, response) => {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  const transport = new StreamableHTTPServerTransport({});
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`,
);
writeFileSync(
  join(folder, "adapter.mjs"),
  `import { MultiServerMCPClient } from "@langchain/mcp-adapters";
const client = new MultiServerMCPClient({ books: { transport: "stdio", command: process.execPath, args: ["books.mjs"] } });
const tools = await client.getTools();
console.log(tools.map(({ name }) => name).join(" "), await tools.find(({ name }) => name === "add").invoke({ a: 2, b: 3 }));
await client.close();
`,
);

function use(sdk) {
  const path = join(modules, "@modelcontextprotocol/sdk");
  const kept = `${path}-as-installed`;
  if (existsSync(kept)) {
    rmSync(path, { recursive: true });
  } else {
    renameSync(path, kept);
  }
  symlinkSync(sdks[sdk], path);
}

function run(...args) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 120_000,
  });
  return status === 0 ? stdout : `failed: ${stderr.slice(-500)}`;
}

function inspector() {
  const command = join(modules, "@modelcontextprotocol/inspector/cli/build/cli.js");
  const on = (...args) => run(command, "--cli", process.execPath, books, "--method", ...args);
  return [
    on("tools/list"),
    on("tools/call", "--tool-name", "add", "--tool-arg", "a=1", "--tool-arg", "b=2"),
    on("resources/read", "--uri", "books://shelf"),
    on("prompts/get", "--prompt-name", "review", "--prompt-args", "title=t"),
  ];
}

/** The program that connects clients over stdio to servers over HTTP. */
async function remote() {
  const server = spawn(process.execPath, ["http.mjs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((done) => createInterface({ input: server.stdout }).once("line", done));
  const url = `http://127.0.0.1:${port}/mcp`;
  const proxy = spawn(process.execPath, [join(modules, "mcp-remote/dist/proxy.js"), url, "--allow-http"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message) => proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = createInterface({ input: proxy.stdout })[Symbol.asyncIterator]();
  const answers = [];
  const call = async (id, method, params) => {
    send({ id, method, params });
    answers.push((await lines.next()).value);
  };
  const clientInfo = { name: "raw", version: "1" };
  await call(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  await call(1, "tools/list", {});
  await call(2, "tools/call", { name: "add", arguments: { a: 2, b: 3 } });
  proxy.kill();
  server.kill();
  // The order of the keys may differ.
  return answers.map((line) => {
    const { jsonrpc, id, result } = JSON.parse(line);
    return JSON.stringify({ jsonrpc, id, result });
  });
}

const adapter = () => [run("adapter.mjs")];

let unequal = 0;
for (const [name, program] of Object.entries({ inspector, "mcp-remote": remote, "mcp-adapters": adapter })) {
  use("original");
  const original = await program();
  use("tenon");
  const tenon = await program();
  const differing = original.filter((each, i) => each !== tenon[i] || each.startsWith("failed"));
  unequal += differing.length;
  console.log(`${name}: ${original.length - differing.length} of ${original.length} outputs equal`);
  if (differing.length > 0) {
    console.log(JSON.stringify({ original, tenon }, null, 2));
  }
}
process.exitCode = unequal === 0 ? 0 : 1;
