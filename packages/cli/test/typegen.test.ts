import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

import { fixture, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

interface NotesTools {
  add(input: object): Promise<{ count: number }>;
  echo(input?: object): Promise<{ content: { text: string }[] }>;
  fail(): Promise<unknown>;
}

test("typegen writes the same module from a live server and from its lock file", async () => {
  const cwd = temporaryFolder();
  const { stdout, code } = await tenon(["typegen", notes], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(
    "  /** Adds a note. Its name must be new. */\n  add(input: AddInput, options?: RequestOptions): Promise<AddOutput>;",
  );
  expect(stdout).toContain(
    "echo: { input: EchoInput; output: CallToolResult; annotations: { readOnlyHint: true }; };",
  );
  await tenon(["lock", notes], { cwd });
  expect(await tenon(["typegen", "tenon.lock.json", "--out", "gen/notes.ts"], { cwd })).toMatchObject({
    code: 0,
    stdout: `${join(cwd, "gen/notes.ts")}: 7 tools of notes\n`,
  });
  expect(readFileSync(join(cwd, "gen/notes.ts"), "utf8")).toBe(stdout);
});

test("the types come from the package that --from names, and a file .d.ts has nothing else", async () => {
  const { stdout } = await tenon(["typegen", notes, "--from", "@tenon/mcp"]);
  expect(stdout).toContain('import type { CallToolResult, Tool } from "@tenon/protocol";\n');
  expect(stdout).toContain('import type { ClientSession, RequestOptions } from "@tenon/mcp";\n');
  const cwd = temporaryFolder();
  await tenon(["typegen", notes, "--out", "notes.d.ts"], { cwd });
  const types = readFileSync(join(cwd, "notes.d.ts"), "utf8");
  expect(types).toContain("export type ToolMap = {");
  expect(types).not.toMatch(/function|const|RequestOptions/);
});

test("--check finds what changed since the module was written", async () => {
  const cwd = temporaryFolder();
  const check = ["typegen", "tenon.lock.json", "--out", "notes.ts", "--check"];
  await tenon(["lock", notes], { cwd });
  expect((await tenon(check, { cwd })).code).toBe(2);
  expect(await tenon(["typegen", notes, "--check"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  await tenon(["typegen", notes, "--out", "notes.ts"], { cwd });
  const module = join(cwd, "notes.ts");
  const text = readFileSync(module, "utf8");
  writeFileSync(module, text.replaceAll("\n", "\r\n"));
  expect(await tenon(check, { cwd })).toMatchObject({ code: 0, stdout: "No changes.\n" });

  writeFileSync(module, text.replace("count: number;", "count: string;"));
  const edited = await tenon(check, { cwd });
  expect(edited).toMatchObject({ code: 7, stdout: "" });
  expect(edited.stderr).toContain("notes.ts is not what the tools of the server give.");
  expect(edited.stderr).toContain("try: tenon typegen tenon.lock.json --out notes.ts\n");

  writeFileSync(module, text);
  const lock = join(cwd, "tenon.lock.json");
  const changed = readFileSync(lock, "utf8")
    .replace('"readOnlyHint": true', '"readOnlyHint": false')
    .replace('"name": "picture"', '"name": "photo"');
  writeFileSync(lock, changed);
  const asText = await tenon(check, { cwd });
  expect(asText.stdout).toContain("breaking  tool echo /annotations/readOnlyHint: ");
  expect(asText.stderr).toBe("try: tenon typegen tenon.lock.json --out notes.ts\n");
  const drifted = await tenon([...check, "--json"], { cwd });
  expect(drifted.code).toBe(7);
  expect(JSON.parse(drifted.stdout)).toMatchObject({
    changes: [
      { effect: "breaking", name: "echo", path: "/annotations/readOnlyHint" },
      { effect: "breaking", name: "picture" },
      { effect: "additive", name: "photo" },
    ],
  });
});

test("the functions call the tools, and a tool that fails or returns another output rejects", async () => {
  const cwd = temporaryFolder();
  const { stdout } = await tenon(["typegen", notes], { cwd });
  const path = join(cwd, "notes.mjs");
  writeFileSync(
    path,
    transformSync(stdout.replace('    ask: call("ask"),', '    fail: call("fail"),'), { loader: "ts" }).code,
  );
  const { connectNotes, definitions } = (await import(pathToFileURL(path).href)) as {
    connectNotes(session: ClientSession): NotesTools;
    definitions: { name: string }[];
  };
  expect(definitions.map(({ name }) => name)).toContain("picture");
  const server = new Server({ name: "notes", version: "1" });
  let counted: unknown = 3;
  server.addTool({ name: "add", input: { type: "object" }, output: { type: "object" } }, () => ({
    count: counted,
  }));
  server.addTool({ name: "echo", input: { type: "object" } }, (args) => JSON.stringify(args));
  server.addTool({ name: "fail" }, () => ({ content: [{ type: "text", text: "no" }], isError: true }));
  const [ours, theirs] = createInMemoryTransports();
  await using _ = await server.connect(theirs);
  await using session = await new Client({ name: "c", version: "1" }).connect(ours);
  // The example of docs/cli.md.
  const tools = connectNotes(session);
  const { count } = await tools.add({ name: "milk" });
  expect(count).toBe(3);
  expect((await tools.echo()).content).toMatchObject([{ text: "{}" }]);
  expect((await tools.echo({ a: 1 })).content).toMatchObject([{ text: '{"a":1}' }]);
  counted = "three";
  await expect(tools.add({ name: "a" })).rejects.toMatchObject({ code: "INVALID_RESULT" });
  await expect(tools.fail()).rejects.toMatchObject({ name: "ToolError", message: "no" });
});

test("names and texts of a hostile server stay names and texts", async () => {
  const cwd = temporaryFolder();
  const evil = '"; export const x = 1; //\u2028*/ \u202e';
  const tools = [
    {
      name: evil,
      description: evil,
      inputSchema: { type: "object", properties: { ["__proto__"]: { const: evil } } },
    },
    { name: "delete", inputSchema: { type: "object" } },
    { name: "Delete", inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } },
    { name: "日本", inputSchema: { type: "object" }, annotations: { [evil]: true } },
  ];
  const definitions = { tools, prompts: [], resources: [], resourceTemplates: [] };
  const lock = { tenon: 1, server: { name: evil, version: evil }, definitions };
  writeFileSync(join(cwd, "tenon.lock.json"), JSON.stringify(lock));
  const { stdout, stderr } = await tenon(["typegen", "tenon.lock.json"], { cwd });
  expect(stderr).toContain("The input schema of Delete has no type");
  expect(stdout).toContain(
    '  delete: call("delete"),\n    delete2: call("Delete"),\n    tool: call("日本"),\n',
  );
  expect(stdout.match(/^export const/gm)).toEqual(["export const"]);
  expect(stdout).not.toMatch(/[\u2028\u202e]/);
  const path = join(cwd, "evil.mjs");
  writeFileSync(path, transformSync(stdout, { loader: "ts" }).code);
  const module = (await import(pathToFileURL(path).href)) as { definitions: unknown };
  expect(Object.keys(module).toSorted()).toEqual(["connectExportConstX1", "definitions"]);
  expect(JSON.stringify(module.definitions)).toBe(JSON.stringify(tools));
  writeFileSync(join(cwd, "evil.ts"), stdout);
  const check = await tenon(["typegen", "tenon.lock.json", "--out", "evil.ts", "--check"], { cwd });
  expect(check.stdout).toBe("No changes.\n");
});
