import { execFile } from "node:child_process";
import { lstatSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { fileSavedCalls } from "@tenon/inspector/node";
import { legacyRevision } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, program, self, temporaryFolder, tenon } from "./support.ts";

const loud = program("loud.mjs");

test.each([
  ["lock", "tenon.lock.json", ["lock", ...loud]],
  ["tap", "tenon-tap.jsonl", ["tap", ...loud]],
])("%s does not write through a link at its default name", async (_, name, line) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "victim"), "unchanged");
  symlinkSync("victim", join(cwd, name));
  const { code, stderr } = await tenon(line, { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain(`${name} is a symbolic link`);
  expect(readFileSync(join(cwd, "victim"), "utf8")).toBe("unchanged");
});

test.each([
  ["out.jsonl", 0o600, ["record", "--out", "out.jsonl", ...loud]],
  ["out.lock.json", undefined, ["lock", "--out", "out.lock.json", ...loud]],
  ["out.ts", undefined, ["typegen", "--out", "out.ts", ...loud]],
  ["out.mjs", undefined, ["generate", "cli", "--out", "out.mjs", ...loud]],
])("%s is replaced as a whole: a link at its name is not written through", async (name, mode, line) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "victim"), "unchanged");
  symlinkSync("victim", join(cwd, name));
  expect((await tenon(line, { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, "victim"), "utf8")).toBe("unchanged");
  expect(lstatSync(join(cwd, name)).isSymbolicLink()).toBe(false);
  expect(statSync(join(cwd, name)).mode & 0o777).toBe(mode ?? statSync(join(cwd, name)).mode & 0o777);
  expect(readdirSync(cwd).filter((each) => each.endsWith(".tmp"))).toEqual([]);
});

test("config add replaces a link at the name of its file", async () => {
  const cwd = temporaryFolder();
  const config = join(cwd, "config", "tenon");
  const entry = ["config", "add", "one", ...loud];
  expect((await tenon(entry, { cwd })).code).toBe(0);
  const file = readdirSync(config).map((name) => join(config, name))[0] as string;
  const before = readFileSync(file, "utf8");
  writeFileSync(join(cwd, "victim"), before);
  rmSync(file);
  symlinkSync(join(cwd, "victim"), file);
  expect((await tenon([...entry.slice(0, 2), "two", ...loud], { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, "victim"), "utf8")).toBe(before);
  expect(lstatSync(file).isSymbolicLink()).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain('"two"');
});

test("saved calls are only for the user, and do not go through a link", async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, "calls.json");
  writeFileSync(join(cwd, "victim"), "unchanged");
  symlinkSync("victim", path);
  symlinkSync("victim", `${path}.tmp`);
  await fileSavedCalls(path).save([{ name: "a", method: "tools/call", params: { name: "echo" } }]);
  expect(readFileSync(join(cwd, "victim"), "utf8")).toBe("unchanged");
  expect(lstatSync(path).isSymbolicLink()).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

/** A program whose lists answer with these error codes; a list without one has an entry. */
function listsWith(codes: Readonly<Record<string, number>>): readonly string[] {
  const body = `const codes = ${JSON.stringify(codes)};
const results = { initialize: { protocolVersion: "${legacyRevision}", capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: "s", version: "1" } }, "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] }, "prompts/list": { prompts: [{ name: "ask" }] }, "resources/list": { resources: [{ uri: "x:1", name: "one" }] }, "resources/templates/list": { resourceTemplates: [] } };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => { const { id, method } = JSON.parse(line); if (id === undefined) return; const code = codes[method] ?? (results[method] === undefined ? -32601 : undefined); console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(code === undefined ? { result: results[method] } : { error: { code, message: "no database" } }) })); });`;
  return ["--", process.execPath, "-e", body];
}

test.each(["tools/list", "prompts/list", "resources/list", "resources/templates/list"])(
  "a server without a handler for %s has an empty list",
  async (method) => {
    const { code, stdout, stderr } = await tenon(["list", ...listsWith({ [method]: -32_601 })]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(method === "tools/list" ? "ask" : "echo");
  },
);

test("list prints what there is, names the list that failed, and exits with 5", async () => {
  const server = listsWith({ "resources/list": -32_603 });
  const { code, stdout, stderr } = await tenon(["list", ...server]);
  expect(code).toBe(5);
  expect(stdout).toContain("echo");
  expect(stderr).toContain("The list of resources failed: no database");
  const asJson = await tenon(["list", "--json", ...server]);
  expect(asJson.code).toBe(5);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ tools: [{ name: "echo" }] });
  const all = { "tools/list": -1, "prompts/list": -1, "resources/list": -1, "resources/templates/list": -1 };
  expect(await tenon(["list", ...listsWith(all)])).toMatchObject({ code: 5, stdout: "" });
});

test("a tap adds its headers to the address of the server and below, and to no other address", async () => {
  const seen: [string | undefined, unknown][] = [];
  const http = createServer((request: IncomingMessage, response) => {
    seen.push([request.url, request.headers["x-api-key"]]);
    request.resume().on("end", () => response.writeHead(202).end());
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  const end = new AbortController();
  const paths = [
    "/mcp",
    "/mcp?a=1",
    "/mcp/sub",
    "/",
    "/admin",
    "/mcpx",
    "/mcp/%2e%2e/admin",
    "/mcp/..%2fadmin",
    "/mcp//x",
  ];
  let asked: Promise<void> | undefined;
  await tenon(
    ["tap", `http://127.0.0.1:${port}/mcp`, "--http", "--header", "X-Api-Key: k", "--out", "t.jsonl"],
    {
      signal: end.signal,
      onWrite(stream, written) {
        if (stream === "stdout") {
          asked ??= (async () => {
            const { request } = await import("node:http");
            const { port: local } = new URL(written.trim());
            for (const path of paths) {
              await new Promise((resolve) => {
                request({ host: "127.0.0.1", port: local, path, method: "POST" }, (response) =>
                  response.resume().on("end", resolve),
                ).end();
              });
            }
            end.abort(new Interrupted());
          })();
        }
      },
    },
  );
  await asked;
  expect(seen.map(([url]) => url)).toEqual(paths);
  expect(seen.filter(([, key]) => key !== undefined).map(([url]) => url)).toEqual(paths.slice(0, 3));
});

test("a module in TypeScript that exports a server works where it is loaded by the tsx of the project", async () => {
  const [command, ...args] = self;
  const { stdout } = await promisify(execFile)(command, [...args, "list", fixture("typed.ts"), "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ serverInfo: { name: "typed" } });
});
