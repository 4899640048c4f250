import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { createProject } from "../src/create.ts";
import { main } from "../src/main.ts";
import { adapters, choices, findTemplate, templates } from "../src/templates.ts";
import { versions } from "../src/versions.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-create-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program without a terminal. */
async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await main(args, false), out: texts.stdout, err: texts.stderr };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

test.each(templates.map((template) => [template.name, template] as const))(
  "the template %s has at most thirteen files, and leaves nothing to fill in",
  (name, template) => {
    const created = createProject(join(folder, "all", name), template);
    expect(created.files.length).toBeLessThanOrEqual(13);
    expect(created.files).toEqual(
      expect.arrayContaining([".gitignore", "AGENTS.md", "README.md", "package.json", "tsconfig.json"]),
    );
    for (const file of created.files) {
      const text = readFileSync(join(created.folder, file), "utf8");
      expect([file, /\{\{\w+\}\}/.exec(text)?.[0]]).toEqual([file, undefined]);
      expect([file, text.endsWith("\n")]).toEqual([file, true]);
    }
    const { bin, scripts } = JSON.parse(readFileSync(join(created.folder, "package.json"), "utf8")) as {
      readonly bin?: Readonly<Record<string, string>>;
      readonly scripts: Readonly<Record<string, string>>;
    };
    // npx starts the program of a server that hosts start.
    const isProgram = scripts["dev"]?.startsWith("tenon dev") === true || name === "app";
    expect(bin).toEqual(isProgram ? { [name]: "dist/main.js" } : undefined);
    const main = created.files.includes("src/main.ts") ? join(created.folder, "src/main.ts") : undefined;
    expect(main !== undefined && readFileSync(main, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(
      isProgram,
    );
    const readme = readFileSync(join(created.folder, "README.md"), "utf8");
    const named = [...readme.matchAll(/npm (?:run (\w+)|(test|start))/g)].map(([, a, b]) => a ?? b ?? "");
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  },
);

test("a project asks for the versions that this repository is tested with", () => {
  const workspace = readFileSync(join(import.meta.dirname, "../../../pnpm-workspace.yaml"), "utf8");
  const catalog = new Map(
    [...workspace.matchAll(/^ {2}"?([@\w./-]+)"?: (?:npm:[\w-]+@)?(\d\S*)$/gm)].map(
      ([, name = "", version = ""]) => [name, version],
    ),
  );
  const others = new Set(["next", "react", "react-dom", "typescript@5"]);
  const differ = Object.entries(versions).filter(
    ([name, range]) => !others.has(name) && range !== `^${catalog.get(name)}`,
  );
  expect(differ).toEqual([]);
});

test("every choice and every adapter has a template", () => {
  expect(choices.filter((choice) => findTemplate(choice, "node") === undefined)).toEqual([]);
  expect(adapters.filter((adapter) => findTemplate("http", adapter) === undefined)).toEqual([]);
});

test("without a terminal nothing is asked, and the next commands are printed", async () => {
  const path = join(folder, "quiet");
  const { code, out } = await run(path, "--pm", "pnpm");
  expect(code).toBe(0);
  expect(out).toMatch(
    /a server that a host starts as a program: \d+ files\.\n\n {2}cd .*quiet\n {2}pnpm install\n/,
  );
  expect(readFileSync(join(path, "src/server.ts"), "utf8")).toContain('name: "quiet"');
});

test("what is wrong is named, with what is right", async () => {
  expect(await run("--template", "htpp")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--template must be one of stdio, http, auth"),
  });
  expect((await run("--adapter", "koa", "-t", "http")).err).toContain("node, express, fastify");
  expect((await run(join(folder, "Big Name"))).err).toContain('got "Big Name"');
  expect((await run("--adapter", "koa")).err).toContain("--adapter must be one of node, express");
  expect((await run("--adapter", "hono", "-t", "stdio")).err).toContain("--adapter is for the template http");
  for (const name of ["node_modules", "zod"]) {
    expect((await run(join(folder, name))).err).toContain(`The name "${name}" is reserved`);
  }
  writeFileSync(join(folder, "file"), "mine");
  expect((await run(join(folder, "file"))).err).toContain("is a file. Choose a new or an empty folder.");
  expect((await run("--colour")).err).toContain("--colour");
  expect((await run("a", "b")).err).toContain("Expected one folder, got a b.");
});

test("an adapter alone selects the template that has adapters", async () => {
  const path = join(folder, "adapted");
  expect(await run(path, "--adapter", "hono")).toMatchObject({
    code: 0,
    out: expect.stringContaining("a server over HTTP, in Hono"),
  });
});

test("the folder of the process can be the project, and a path with spaces is printed for a shell", async () => {
  const here = process.cwd();
  mkdirSync(join(folder, "my projects", "here"), { recursive: true });
  try {
    process.chdir(join(folder, "my projects", "here"));
    const { code, out } = await run(".", "--pm", "npm");
    expect(code).toBe(0);
    expect(out).toMatch(/\n\n {2}npm install\n {2}npm test\n/);
    expect(readFileSync("package.json", "utf8")).toContain('"name": "here"');
    process.chdir(folder);
    expect((await run("my projects/there")).out).toContain('\n  cd "my projects/there"\n');
  } finally {
    process.chdir(here);
  }
});

test("a folder with files is left alone", async () => {
  const path = join(folder, "full");
  mkdirSync(path);
  writeFileSync(join(path, "mine.txt"), "mine");
  expect((await run(path)).err).toContain("has files already");
  expect(readFileSync(join(path, "mine.txt"), "utf8")).toBe("mine");
});

test("the help names every choice", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect([...choices, ...adapters].filter((name) => !out.includes(name))).toEqual([]);
});
