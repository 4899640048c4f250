import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { listen } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { server } from "./fixtures/notes.mjs";
import { fixture, json, program, temporaryFolder, tenon } from "./support.ts";

const [, node = "", ...args] = program("loud.mjs");
const entry = { command: node, args };

test("a URL is a target, with headers, and its query stays out of what is printed", async () => {
  const seen: (string | undefined)[] = [];
  const handler = createStreamableHandler({ getServer: () => server });
  await using listening = await listen(handler, { port: 0 });
  listening.http.on("request", (request) => seen.push(request.headers["x-key"] as string | undefined));
  const { stdout } = await tenon([
    "call",
    `${listening.url.href}?token=secret`,
    "echo",
    "a=1",
    "--header",
    "X-Key: k",
    "--json",
    "--envelope",
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ target: listening.url.href, era: "modern" });
  expect(stdout).not.toContain("secret");
  expect(new Set(seen)).toEqual(new Set(["k"]));
});

test("a server that cannot be reached is exit code 3, with advice", async () => {
  const { code, stdout } = await tenon(["list", "http://127.0.0.1:9/mcp", "--json"]);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { kind: "connection", hint: expect.stringContaining("doctor") },
  });
  expect((await tenon(["list", "--", "no-such-program-anywhere"])).code).toBe(3);
});

test("a server that wants a login is exit code 4", async () => {
  const http = createServer((_, response) => {
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close());
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const { code, stdout } = await tenon(["list", `http://127.0.0.1:${port}/mcp`, "--json"]);
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { kind: "authorization", hint: expect.stringContaining("tenon login") },
  });
});

test("names come from the configuration of the project, then of the user, or from --config", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, ".vscode"));
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { loud: entry } }));
  writeFileSync(join(cwd, ".vscode/mcp.json"), JSON.stringify({ servers: { loud: entry, other: entry } }));
  expect(await json(["tools", "loud"], { cwd })).toMatchObject({ tools: [{ name: "echo" }] });
  expect((await tenon(["tools", "loud"], { cwd })).stderr).toContain(".vscode/mcp.json has it too");
  expect(await json(["tools", "other", "--config", ".vscode/mcp.json"], { cwd })).toMatchObject({
    tools: [{ name: "echo" }],
  });
  const unknown = await tenon(["tools", "lod"], { cwd });
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("Configured: loud, other.");
  expect(unknown.stderr).toContain("try: loud");
});

test("an entry without the value of its variable says which", async () => {
  const cwd = temporaryFolder();
  const servers = { mcpServers: { loud: { ...entry, env: { KEY: "${NO_SUCH_VARIABLE}" } } } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify(servers));
  const { code, stderr } = await tenon(["tools", "loud"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("NO_SUCH_VARIABLE");
});

test("a configuration that is broken is named", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "broken.json"), "{");
  const { code, stderr } = await tenon(["tools", "x", "--config", "broken.json"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("broken.json");
});

test("variables reach a program only if they are passed", async () => {
  const read = async (...more: string[]): Promise<unknown> =>
    json(["call", "variable", "name=SECRET", ...more, ...program("loud.mjs")], { env: { SECRET: "s" } });
  expect(await read()).toMatchObject({ content: [{ text: "unset" }] });
  expect(await read("--env", "SECRET")).toMatchObject({ content: [{ text: "s" }] });
  expect(await read("--env", "SECRET=other")).toMatchObject({ content: [{ text: "other" }] });
  const missing = await tenon(["list", "--env", "NOT_HERE", ...program("loud.mjs")]);
  expect(missing.code).toBe(2);
});

test("a module that serves standard input by itself is started as a program", async () => {
  expect(await json(["tools", fixture("loud.mjs")])).toMatchObject({ tools: [{ name: "echo" }] });
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "other.mjs"), "export const answer = 42;\n");
  const other = await tenon(["tools", "other.mjs"], { cwd });
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("other.mjs exports no Server; it exports answer.");
  expect(other.stderr).toContain("-- node other.mjs");
});

/** Modules that serve nothing without the copy of the library that they import. */
const library = new URL("../../mcp/dist/index.js", import.meta.url).href;
const stdio = new URL("../../transports-stdio/dist/index.js", import.meta.url).href;
const exported = `
import { Server } from "${library}";
export const server = new Server({ name: "exported", version: "1" });
server.addTool({ name: "who" }, () => "exported");
`;

test.each([
  [
    "mentions a transport",
    `${exported}import { StdioTransport } from "${stdio}";\nexport const main = () => server.connect(new StdioTransport());\n// process.stdin`,
    "in memory",
  ],
  [
    "connects late",
    `${exported}import { StdioTransport } from "${stdio}";\nawait null;\nsetTimeout(() => void server.connect(new StdioTransport()), 50);`,
    "stdio",
  ],
  ["connects in another module", `import "./connects.mjs";`, "stdio"],
  ["exports, and connects in another module", `export const v = 1;\nimport "./connects.mjs";`, "stdio"],
])("a module that %s is run as what it is", async (_, source, place) => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, "connects.mjs"),
    `${exported}import { StdioTransport } from "${stdio}";\nawait server.connect(new StdioTransport());`,
  );
  writeFileSync(join(cwd, "server.mjs"), source);
  const { stdout, stderr } = await tenon(["list", "server.mjs"], { cwd });
  expect(stderr).toBe("");
  expect(stdout).toContain(place);
  expect(stdout).toContain("who");
});

test("a module that is missing is reported by its name", async () => {
  const { code, stderr } = await tenon(["list", "./missing.mjs"], { cwd: temporaryFolder() });
  expect(code).not.toBe(0);
  expect(stderr).toContain("missing.mjs");
  expect(stderr).not.toContain("ENOENT");
});

const notes = fixture("notes.mjs");

test("a server whose lists all fail is an error, also if it does not offer every list", async () => {
  const { code, stdout } = await tenon(["list", ...program("restless.mjs", "secretive")]);
  expect(code).toBe(5);
  expect(stdout).toBe("");
});

test("a target alone is listed", async () => {
  const [short, long] = [await tenon([notes, "--json"]), await tenon(["list", notes, "--json"])];
  expect(short).toEqual(long);
  expect(short.code).toBe(0);
  const started = program("restless.mjs");

  expect((await tenon([...started])).stdout).toBe((await tenon(["list", ...started])).stdout);
  expect((await tenon(["./missing.dxt"])).stderr).toContain("There is no file");
  expect((await tenon(["./missing.mjs"])).stderr).toContain("There is no file");
});

test.each([
  [["list"], "tenon list needs <target>, or a program after --."],
  [["list", "a", "b"], 'tenon list does not take "b".'],
  [["list", "--"], "A program must follow --."],
  [["version", "--", "node"], "tenon version takes no program after --."],
  [["list", "--shema", "x"], "unknown option '--shema' (Did you mean --schema?)"],
  [["lst", "x"], 'tenon has no command "lst".'],
  [["my-files"], "try: tenon explore my-files if it is the name of a server, or tenon --help"],
  [["https://a.example/mcp", "find_trees", "a=b"], "try: tenon call https://a.example/mcp find_trees"],
  [["./server.js", "ping"], "try: tenon ping ./server.js"],
  [["list", "http://127.0.0.1:9", "--header", "secret-token"], "--header takes a name and a value"],
  [["list", "http://", "--json"], "is not a URL"],
  [["list", fixture("notes.mjs"), "--timeout", "soon"], "--timeout takes a time such as"],
  [["list", fixture("notes.mjs"), "--revision", "2020-01-01"], "There is no revision"],
  [["list", "x", "--json", "--jsonl"], "unknown option '--jsonl'"],
])("wrong usage %j is exit code 2 and says what is right", async (argv, message) => {
  const { code, stdout, stderr } = await tenon(argv);
  expect(code).toBe(2);
  const text = argv.includes("--json")
    ? (JSON.parse(stdout) as { error: { message: string } }).error.message
    : stderr;
  expect(text).toContain(message);
  if (!argv.includes("--json")) {
    expect(stdout).toBe("");
  }
});
