import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { compileExamples } from "../src/examples.ts";
import { publicApi, readExports, sharedNames, type Documented, type Exports } from "../src/exports.ts";

const root = join(import.meta.dirname, "../../..");
const place = ({ name, at }: Documented): string => `${name} at ${at}`;

let exports: Exports;
let api: readonly Documented[] = [];

beforeAll(() => {
  exports = readExports();
  api = publicApi(exports);
});

test("every export of every package says what it is", () => {
  const exported = api.filter(({ kind }) => kind === "export");
  expect(exported.length).toBeGreaterThan(400);
  expect(exported.filter(({ text }) => text === "").map(place)).toEqual([]);
});

test("no two exports of any entries share a name with different meanings", () => {
  expect(Object.fromEntries(sharedNames(exports))).toEqual({
    // Variants of one function, in the entries for everything, the smallest build, a fast start,
    // and schemas of others.
    compile: [
      "packages/jsonschema/src/core/compile.ts",
      "packages/jsonschema/src/lazy/compile.ts",
      "packages/jsonschema/src/main.ts",
    ],
    tryCompile: [
      "packages/jsonschema/src/core/compile.ts",
      "packages/jsonschema/src/main.ts",
      "packages/jsonschema/src/untrusted.ts",
    ],
    resolveSchema: [
      "packages/jsonschema/src/core/resolve-schema.ts",
      "packages/jsonschema/src/lazy/resolve-schema.ts",
      "packages/jsonschema/src/sources/resolve-schema.ts",
    ],
    // Functions of packages that no program uses together: of handlers, and of servers.
    compose: ["packages/compose/src/compose.ts", "packages/jsonrpc2/src/peer/handler.ts"],
    // The same type: the schema of the protocol repeats that of JSON-RPC.
    RequestId: ["packages/jsonrpc2/src/message.ts", "packages/protocol/src/gen/types.ts"],
  });
});

test("every public method and every option says what it does", () => {
  // Their members mean what they mean where they come from.
  const foreign = api
    .filter(({ text }) => text.startsWith("The required part of "))
    .map(({ name }) => `${name}.`);
  const members = api.filter(
    ({ kind, name }) =>
      (kind === "method" || kind === "option") && !foreign.some((owner) => name.startsWith(owner)),
  );
  expect(members.length).toBeGreaterThan(400);
  expect(members.filter(({ text }) => text === "" || text.startsWith("Default")).map(place)).toEqual([]);
});

test("what a comment links to is something that its reader can import, or a member of it", () => {
  const names = new Set(api.flatMap(({ name }) => [name, name.slice(name.indexOf(".") + 1)]));
  const lost = api.flatMap((each) =>
    each.links.filter((link) => !names.has(link)).map((link) => `${link}, from ${place(each)}`),
  );
  expect(lost).toEqual([]);
});

/** What examples take for granted. */
const setting = {
  server: 'declare const server: import("@tenon/sdk").Server;',
  client: 'declare const client: import("@tenon/sdk").Client;',
  session: 'declare const session: import("@tenon/sdk").ClientSession;',
  context: 'declare const context: import("@tenon/sdk").RequestContext;',
  Request: "",
  transport: 'declare const transport: import("@tenon/sdk").Transport;',
  manager: 'declare const manager: import("@tenon/sdk/host").Manager;',
  approved: "declare const approved: ReadonlySet<string | undefined>;",
  config: "declare const config: object;",
  request: "declare const request: Request;",
  parent: 'declare const parent: import("@tenon/transports-message").WindowLike;',
  Search: 'class Search { query = ""; }',
  notes: "declare const notes: ReadonlyMap<string, string>;",
  Place: "class Place { x = 1; }",
  CountParams: 'const CountParams = { type: "object", properties: { word: { type: "string" } } } as const;',
  Counted: 'const Counted = { type: "object", properties: { times: { type: "number" } } } as const;',
};

test("every example compiles", () => {
  const examples = api.flatMap((each) => each.examples.map((code) => ({ code, at: place(each) })));
  expect(examples.length).toBeGreaterThan(20);
  const wrong = compileExamples(
    exports,
    examples.map(({ code }) => code),
    setting,
  ).map(({ index, message }) => `${examples[index]?.at ?? ""}: ${message}`);
  const known = Object.keys(setting).join(", ");
  expect(wrong, `An example knows all exports, and ${known}. Import or declare other names in it.`).toEqual(
    [],
  );
});

test("requirement ids stand at the end of a comment, under @source", () => {
  const misplaced = sources().flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\/\*\*[\s\S]*?\*\//g)]
      .map(([comment]) => comment)
      .filter((comment) => /\b[SRTO]-\d{3}\b|\b[TO]-\d{2}\b/.test(comment.replace(/@source\s[^@]*$/, "")))
      .map((comment) => `${file}: ${comment}`),
  );
  expect(misplaced).toEqual([]);
});

function sources(): readonly string[] {
  return ["packages", "examples"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name, "src")))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts") && !path.startsWith("gen"))
        .map((path) => join(folder, path)),
    );
}
