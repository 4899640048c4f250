import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { latest, revisions } from "@tenon/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";

import { packageHelp, runCli } from "../src/cli.ts";
import { root, type Run } from "./support.ts";

const oldest = revisions[0];
const newest = latest;
const next = "2099-01-01";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codegen-package-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** Runs the command line as the published package does, in a folder of a stranger. */
async function npx(...argv: readonly string[]): Promise<Run> {
  let [out, err] = ["", ""];
  const code = await runCli(argv, {
    root,
    isCheckout: false,
    cwd: folder,
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

/** Writes the newest schema with a further field and a further method into the folder. */
async function upstream(): Promise<string> {
  const text = await readFile(join(root, "schema", newest, "schema.json"), "utf8");
  const document = JSON.parse(text) as { $defs: Record<string, { properties?: object; anyOf?: object[] }> };
  const { Tool, ClientRequest } = document.$defs;
  Object.assign(Tool?.properties ?? {}, { weight: { type: "number", description: "Kilograms." } });
  document.$defs["WeighRequest"] = {
    ...{ type: "object", required: ["method", "jsonrpc"] },
    properties: {
      jsonrpc: { const: "2.0", type: "string" },
      method: { const: "tools/weigh", type: "string" },
    },
  };
  ClientRequest?.anyOf?.push({ $ref: "#/$defs/WeighRequest" });
  await writeFile(join(folder, "upstream.json"), JSON.stringify(document));
  return "upstream.json";
}

test("check finds what a document of upstream has more than the schema of this package", async () => {
  const file = await upstream();
  const { code, out } = await npx("check", file, "--revision", newest);
  expect(code).toBe(1);
  expect(out).toMatch(/^#\/\$defs\/Tool.*weight.*upstream$/m);
  expect(out).toMatch(/WeighRequest/);
  const same = await npx("check", join(root, "schema", oldest, "schema.json"), "--revision", oldest);
  expect(same).toEqual({ code: 0, out: `${oldest}: identical in structure\n`, err: "" });
});

test("diff compares revisions with documents", async () => {
  const { code, out } = await npx("diff", newest, await upstream());
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^# ${newest} → upstream.json$`, "m"));
  expect(out).toMatch(/^\| `tools\/weigh` +\| added \|$/m);
  expect(out).toMatch(/^\| `Tool.weight` +\| field weight \(number\) added \|$/m);
});

test("generate writes modules from a document; --check tells when they no longer fit it", async () => {
  const file = await upstream();
  expect(await npx("generate", file, "--out", "src/protocol")).toMatchObject({
    code: 0,
    out: "wrote src/protocol/methods.ts\nwrote src/protocol/types.ts\n",
  });
  const types = await readFile(join(folder, "src/protocol/types.ts"), "utf8");
  expect(types).toContain("weight?: number;");
  expect(types).toContain(`npx @tenon/codegen generate ${file} --out src/protocol`);
  expect(await readFile(join(folder, "src/protocol/methods.ts"), "utf8")).toContain(`"tools/weigh": {`);
  const check = ["generate", file, "--out", "src/protocol", "--check"];
  expect(await npx(...check)).toMatchObject({ code: 0, out: "up to date: 2 generated files\n" });
  await writeFile(join(folder, "src/protocol/types.ts"), "changed by hand");
  await writeFile(join(folder, "src/protocol/mine.ts"), "not generated");
  expect(await npx(...check)).toMatchObject({ code: 1, out: "stale src/protocol/types.ts\n" });
});

test("generate takes a schema that has no methods", async () => {
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
  };
  await writeFile(join(folder, "point.json"), JSON.stringify(document));
  expect(await npx("generate", "point.json", "--out", ".")).toMatchObject({
    code: 0,
    out: "wrote types.ts\n",
  });
  expect(await readFile(join(folder, "types.ts"), "utf8")).toMatch(
    /export interface Point \{\n {2}x: number;\n\}/,
  );
});

test("import writes the schema into a folder of the user, with known descriptions, and later commands use it", async () => {
  const file = await upstream();
  const { code, out } = await npx(
    "import",
    file,
    "--revision",
    next,
    "--url",
    "https://example.com/schema.json",
  );
  expect(code).toBe(0);
  expect(out).toContain(`wrote schema/${next}/schema.json\n`);
  expect(out).toContain("no description yet: WeighRequest\n");
  const text = await readFile(join(folder, "schema", next, "schema.json"), "utf8");
  expect(text).toContain('"description"');
  expect(await readFile(join(folder, "schema/sources.json"), "utf8")).toContain(
    "https://example.com/schema.json",
  );
  expect(await npx("check", file, "--revision", next)).toMatchObject({ code: 0 });
  expect((await npx("diff", newest, next)).out).toMatch(/`tools\/weigh`/);
});

test.each([
  [["generate"], /expected a command/],
  [["generate", "--check"], /expected a command/],
  [["generate", newest], /expected --out <folder>/],
  [["check", "a.json"], /expected --revision YYYY-MM-DD/],
  [["diff", newest], /expected a command/],
  [["diff", newest, next], /known revisions/],
])("wrong usage exits with 2 and says what was expected: %j", async (argv, expected) => {
  const { code, out, err } = await npx(...argv);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(expected);
});

test("a document that cannot be read exits with 3 and names it", async () => {
  expect(await npx("generate", "nowhere.json", "--out", ".")).toMatchObject({
    code: 3,
    err: expect.stringContaining("nowhere.json") as string,
  });
  await writeFile(join(folder, "bad.json"), "{");
  expect(await npx("diff", newest, "bad.json")).toMatchObject({
    code: 3,
    err: "codegen: bad.json: not JSON\n",
  });
});

test("--help prints the commands of the package", async () => {
  expect(await npx("--help")).toEqual({ code: 0, out: packageHelp, err: "" });
});
