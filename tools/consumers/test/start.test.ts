import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

const packages = resolve(import.meta.dirname, "../../../packages");
const installed = ["jsonrpc2", "mcp", "sdk", "transports-stdio", "transports-streamable-http"];

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-start-"));
  const scope = join(folder, "node_modules/@tenon");
  await mkdir(scope, { recursive: true });
  await Promise.all(installed.map((name) => symlink(join(packages, name), join(scope, name))));
  await writeFile(join(folder, "hooks.mjs"), hooks);
});

afterAll(() => rm(folder, { recursive: true }));

/** Writes the URL of every module that is loaded to standard error. */
const hooks = `import { register } from "node:module";
const load = "export function load(url, context, next) { if (url.startsWith('file:')) process._rawDebug(url); return next(url, context); }";
register("data:text/javascript," + encodeURIComponent(load));`;

/** Modules of CommonJS and of Node that have been loaded. */
const loaded = `const loaded = (name) =>
  Object.keys(Module._cache).some((file) => file.includes("/node_modules/" + name + "/")) ||
  process.moduleLoadList.includes("NativeModule " + name);`;

/**
 * Runs a program against the built packages. Returns what it printed as JSON, and the files of
 * these packages that were loaded.
 */
async function run(program: string): Promise<{ readonly printed: unknown; readonly files: string[] }> {
  await writeFile(join(folder, "program.mjs"), program);
  const args = ["--import", "./hooks.mjs", "program.mjs"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  const files = stderr.split("\n").filter((line) => line.includes("/dist/"));
  return { printed: JSON.parse(stdout), files };
}

test("every way to import a class gives the same class, from the umbrella and from the packages it is made of", async () => {
  const { printed } = await run(`import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const count = async (name, specifiers) => {
      const modules = await Promise.all(specifiers.map((specifier) => import(specifier)));
      const required = specifiers.map((specifier) => require(specifier));
      return new Set([...modules, ...required].map((module) => module[name] ?? specifiers)).size;
    };
    console.log(JSON.stringify([
      await count("Server", ["@tenon/sdk", "@tenon/sdk/server", "@tenon/mcp", "@tenon/mcp/server"]),
      await count("Client", ["@tenon/sdk", "@tenon/sdk/client", "@tenon/mcp", "@tenon/mcp/client"]),
      await count("LocalError", ["@tenon/sdk", "@tenon/sdk/client", "@tenon/sdk/server", "@tenon/jsonrpc2"]),
      await count("StdioTransport", ["@tenon/sdk/stdio", "@tenon/transports-stdio", "@tenon/transports-stdio/server"]),
      await count("StreamableClientTransport", [
        "@tenon/sdk/http", "@tenon/transports-streamable-http", "@tenon/transports-streamable-http/client",
      ]),
    ]));`);
  expect(printed).toEqual([1, 1, 1, 1, 1]);
});

test("a server on standard input and output loads few files, and nothing that only clients need", async () => {
  const { printed, files } = await run(`import { writeSync } from "node:fs";
    import { Module } from "node:module";
    import { Server } from "@tenon/sdk/server";
    import { StdioTransport } from "@tenon/sdk/stdio";
    ${loaded}
    const server = new Server({ name: "one", version: "1" });
    server.addTool({ name: "a", input: { type: "object", properties: { a: { type: "string" } } } }, () => "a");
    await server.connect(new StdioTransport());
    writeSync(1, JSON.stringify(["child_process", "cross-spawn", "undici"].filter(loaded)));
    process.exit();`);
  expect(printed).toEqual([]);
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThanOrEqual(25);
});

test("a client over HTTP loads undici with its first request", async () => {
  const { printed } = await run(`import { once } from "node:events";
    import { createServer } from "node:http";
    import { Module } from "node:module";
    import { Client } from "@tenon/sdk/client";
    import { StreamableClientTransport } from "@tenon/sdk/http";
    ${loaded}
    const http = createServer((request, response) => response.writeHead(500).end());
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const transport = new StreamableClientTransport("http://127.0.0.1:" + http.address().port);
    const before = loaded("undici");
    await new Client({ name: "a", version: "1" }).connect(transport).catch(() => {});
    console.log(JSON.stringify([before, loaded("undici")]));
    process.exit();`);
  expect(printed).toEqual([false, true]);
});
