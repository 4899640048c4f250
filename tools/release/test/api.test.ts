import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { apiChanges, apiReports, changeMessage, compareReports } from "../src/api/compare.ts";
import { apiReport } from "../src/api/report.ts";
import { publishedPackages, root, type Manifest } from "../src/packages.ts";

let reports: ReadonlyMap<string, string>;
let folder = "";

beforeAll(() => {
  reports = apiReports();
  folder = mkdtempSync(join(tmpdir(), "tenon-api-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the public interface of every package is the one that was accepted", () => {
  const message = changeMessage(apiChanges(reports));
  if (message !== undefined) {
    throw new Error(message);
  }
});

test("there is a report for every package that can be imported", () => {
  const names = publishedPackages()
    .filter(({ manifest }) => Object.keys(manifest.exports ?? {}).some((entry) => entry !== "./package.json"))
    .map((each) => `${each.folder.split("/")[1] ?? ""}.txt`);
  expect([...reports.keys()].toSorted()).toEqual(names.toSorted());
});

const manifest: Manifest = {
  name: "made-up",
  version: "1.0.0",
  exports: { ".": { types: { default: "./dist/index.d.ts" }, default: "./dist/index.js" } },
};

/** A package with one module, as tsc declares it. */
function reportOf(name: string, files: Readonly<Record<string, string>>): string {
  const dist = join(folder, name, "dist");
  mkdirSync(dist, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(dist, file), text);
  }
  return apiReport({ folder: name, manifest }, folder);
}

const options = "interface Options { limit?: number }";
const first = {
  "index.d.ts": `import { type Options } from "./options.ts";
/** Says something. */
export declare function say(text: string, options?: Options): Promise<void>;
export { Word } from "./word.ts";
`,
  "options.d.ts": `export ${options}\n`,
  "word.d.ts": "export declare class Word { #text; private kept; text(): string }\n",
};

test("a report shows what users see: no comment, no private member, and the types behind a signature", () => {
  expect(reportOf("first", first)).toBe(`// entry "."
class Word {
    text(): string;
}
function say(text: string, options?: Options): Promise<void>;

// mentioned above, and exported nowhere
interface Options {
    limit?: number;
}
`);
});

test.each([
  ["a function that asks for more", "index.d.ts", "(text: string, ", "(text: string, tone: string, "],
  ["a member that is gone", "word.d.ts", "text(): string", ""],
  ["a type that no entry exports", "options.d.ts", "limit?: number", "limit: number"],
  ["an export that is gone", "index.d.ts", 'export { Word } from "./word.ts";', ""],
])("%s is a break, and the message says how to accept it", (name, file, from, to) => {
  const before = reportOf("before", first);
  const changed = { ...first, [file]: first[file as keyof typeof first].replace(from, to) };
  const change = compareReports("made-up.txt", before, reportOf(name.replaceAll(" ", "-"), changed));
  expect(change.removed.length).toBeGreaterThan(0);
  expect(changeMessage([change])).toContain("programs that use it may break");
  expect(changeMessage([change])).toContain("pnpm --filter @tenon/release run api");
});

test("S-004: an optional field of a request is no break: no signature and no other line changes", () => {
  const [mcp] = publishedPackages().filter(({ manifest: { name } }) => name === "@tenon/protocol");
  if (mcp === undefined) {
    throw new Error("There is no package @tenon/protocol.");
  }
  const dist = join(folder, mcp.folder, "dist");
  cpSync(join(root, mcp.folder, "dist"), dist, {
    recursive: true,
    filter: (path) => !/\.(?:js|map)$/.test(path),
  });
  const types = join(dist, "gen/types.d.ts");
  const field = /(interface CallToolRequestParams\b[^{]*\{)/;
  writeFileSync(types, readFileSync(types, "utf8").replace(field, "$1 tone?: string;"));
  const before = reports.get("protocol.txt") ?? "";
  expect(compareReports("protocol.txt", before, apiReport(mcp, folder))).toEqual({
    file: "protocol.txt",
    removed: [],
    added: [expect.stringMatching(/ › interface CallToolRequestParams\b.* › tone\?: string;$/)],
  });
});

test("S-002: no signature needs more than promises, signals, iterators and streams of the platform", () => {
  const foreign = /\b(?:EventEmitter|Observable|Subscriber|Deferred|Bluebird|Rx\w+)\b/;
  const found = [...reports].filter(([, report]) => foreign.test(report)).map(([file]) => file);
  expect(found).toEqual([]);
  const all = [...reports.values()].join("\n");
  const idioms = ["Promise<", "AbortSignal", "AsyncIterable", "Symbol.asyncDispose", "Response"];
  expect(idioms.filter((idiom) => !all.includes(idiom))).toEqual([]);
});
