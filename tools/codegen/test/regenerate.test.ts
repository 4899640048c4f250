import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { latest } from "@tenon/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";

import { packageRun, root } from "./support.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codegen-again-"));
  await writeFile(join(folder, "draft.json"), await readFile(join(root, "schema", latest, "schema.json")));
});

afterEach(() => rm(folder, { recursive: true }));

const npx = packageRun(() => folder);

const upToDate = { code: 0, out: "up to date: 2 generated files\n", err: "" };

test("--check accepts each spelling of the paths that generate was given", async () => {
  await mkdir(join(folder, "own"));
  const options = ["--schema", "own/"];
  expect(await npx("generate", "draft.json", "--out", "src/protocol", ...options)).toMatchObject({ code: 0 });
  for (const [document, out, schema] of [
    ["draft.json", "src/protocol", "own"],
    ["./draft.json", "./src/protocol", "./own"],
    ["src/../draft.json", "src/protocol/", "own/"],
    [join(folder, "draft.json"), join(folder, "src/protocol"), join(folder, "own")],
  ] as const) {
    expect(await npx("generate", document, "--out", out, "--schema", schema, "--check")).toEqual(upToDate);
  }
});

test("the head of a generated file has the whole command, and quotes a path with a space", async () => {
  await mkdir(join(folder, "own"));
  await npx("generate", latest, "--out", "./my code/", "--schema", "./own/");
  expect(await readFile(join(folder, "my code", "types.ts"), "utf8")).toContain(
    `\`npx @tenon/codegen generate ${latest} --out "my code" --schema own\``,
  );
});

test("--check does not count line ends", async () => {
  await npx("generate", latest, "--out", ".");
  const file = join(folder, "types.ts");
  await writeFile(file, (await readFile(file, "utf8")).replaceAll("\n", "\r\n"));
  expect(await npx("generate", latest, "--out", ".", "--check")).toEqual(upToDate);
});

test("--check shows the first line that differs, and files that do not exist", async () => {
  await npx("generate", latest, "--out", ".");
  const file = join(folder, "types.ts");
  await writeFile(
    file,
    (await readFile(file, "utf8")).replace("export interface Tool {", "interface Tool {"),
  );
  await rm(join(folder, "methods.ts"));
  const { code, out } = await npx("generate", latest, "--out", ".", "--check");
  expect(code).toBe(1);
  expect(out.replaceAll(/\d+/g, "N").split("\n")).toEqual([
    "stale methods.ts",
    "  the file does not exist",
    "stale types.ts",
    "  line N: expected export interface Tool {",
    "  line N: found    interface Tool {",
    "",
  ]);
});

test("a file in the place of the output directory is an error of one line", async () => {
  await writeFile(join(folder, "taken"), "");
  const { code, err } = await npx("generate", latest, "--out", "taken");
  expect(code).toBe(4);
  expect(err).toMatch(/^codegen: cannot read or write a file: E\w+: .*taken.*\n$/);
});

test("a directory in the place of a generated file is an error of one line", async () => {
  await mkdir(join(folder, "methods.ts"));
  for (const options of [[], ["--check"]]) {
    const { code, err } = await npx("generate", latest, "--out", ".", ...options);
    expect(code).toBe(4);
    expect(err).toMatch(/^codegen: cannot read or write a file: EISDIR: .*\n$/);
  }
});
