import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { latest, revisions } from "@tenon/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";

import { packageHelp } from "../src/cli.ts";
import { packageRun, root } from "./support.ts";

const oldest = revisions[0];
const newest = latest;
const next = "2099-01-01";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codegen-package-"));
});

afterEach(() => rm(folder, { recursive: true }));

const npx = packageRun(() => folder);

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
  const { code, out } = await npx(...check);
  expect({ code, out: out.split("\n") }).toEqual({
    code: 1,
    out: [
      "stale src/protocol/types.ts",
      expect.stringMatching(/^ {2}line 1: expected \/\/ Generated from upstream.json by /),
      "  line 1: found    changed by hand",
      "",
    ],
  });
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

test("a drift that was imported into a directory of its own is accepted, and generate stays the same", async () => {
  const file = await upstream();
  await npx("generate", newest, "--out", ".");
  expect(await npx("check", file, "--revision", newest)).toMatchObject({ code: 1 });
  await npx("import", file, "--revision", newest, "--schema", "accepted");
  const options = ["--schema", "accepted"];
  expect(await npx("check", file, "--revision", newest, ...options)).toMatchObject({ code: 0, err: "" });
  const { out } = await npx("diff", newest, file, ...options);
  expect(out).toMatch(/No method changed\.\n\nNo place changed\./);
  expect(await npx("generate", newest, "--out", ".", "--check")).toMatchObject({ code: 0 });
});

test("two requests with the same method exit with 3 and are both named", async () => {
  const file = join(folder, await upstream());
  const document = JSON.parse(await readFile(file, "utf8")) as { $defs: Record<string, object> };
  document.$defs["MeasureRequest"] = document.$defs["WeighRequest"] ?? {};
  await writeFile(file, JSON.stringify(document));
  expect(await npx("generate", file, "--out", ".")).toEqual({
    code: 3,
    out: "",
    err: `codegen: MeasureRequest and WeighRequest have the same method "tools/weigh"; expected one definition for each method\n`,
  });
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

async function sourcesOf(): Promise<Record<string, { readonly sha256: string }>> {
  const text = await readFile(join(folder, "schema/sources.json"), "utf8");
  return JSON.parse(text) as Record<string, { readonly sha256: string }>;
}

test("import of a file records its sha256, and drops the URL and the commit of another document", async () => {
  const file = await upstream();
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  const [url, commit] = ["https://example.com/schema.json", "0123"];
  await npx("import", file, "--revision", next, "--url", url, "--commit", commit);
  const first = await sourcesOf();
  expect(first).toEqual({ [next]: { url, commit, sha256 } });
  await npx("import", file, "--revision", next);
  expect(await sourcesOf()).toEqual(first);
  await writeFile(join(folder, file), `${await readFile(join(folder, file), "utf8")}\n`);
  await npx("import", file, "--revision", next);
  expect(await sourcesOf()).toEqual({ [next]: { sha256 } });
  expect((await sourcesOf())[next]?.sha256).not.toBe(first[next]?.sha256);
});

test("import of a file to a date without an entry records its sha256", async () => {
  await npx("import", await upstream(), "--revision", next);
  expect(await sourcesOf()).toEqual({ [next]: { sha256: expect.any(String) as string } });
});

test.each([
  [["generate"], /<date\|file\|url> is missing: expected generate <date\|file\|url>/],
  [["generate", "--check"], /<date\|file\|url> is missing/],
  [["generate", newest], /expected --out <folder>/],
  [["check"], /<file\|url> is missing/],
  [["check", "a.json"], /expected --revision YYYY-MM-DD, a date; --revision is missing/],
  [
    ["check", "a.json", "--revision", "2028-13-45"],
    /expected --revision YYYY-MM-DD, a date; got "2028-13-45"/,
  ],
  [["import", "a.json", "--revision", "2027-02-30"], /got "2027-02-30"/],
  [["check", oldest, "--revision", newest], new RegExp(`use: diff ${oldest} ${newest}`)],
  [["import", oldest, "--revision", next], /import reads a file or a URL/],
  [["diff", newest], /<to> is missing: expected diff <from> <to>/],
  [["diff", newest, next], /known revisions/],
  [["diff", oldest, newest, next], /one operand too many/],
  [["diff", oldest, newest, "--schema", "nodir"], /--schema nodir: there is no such directory/],
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

test("--version prints the version of the package", async () => {
  expect(await npx("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
});
