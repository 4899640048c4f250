import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { transformSync } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";

import { toModule } from "../src/aot.ts";
import { compile, type JSONSchema } from "../src/index.ts";
import { remotes, shared, suiteCases, suiteIsHere } from "./support/suite.ts";

const folder = mkdtempSync(join(tmpdir(), "tenon-aot-"));
const runtime = new URL("../src/runtime.ts", import.meta.url).pathname;
const main = new URL("../src/index.ts", import.meta.url).pathname;
let files = 0;

afterAll(() => rmSync(folder, { recursive: true }));

type Generated = Record<string, (value: unknown) => boolean> & {
  lastFailure: () => { instanceLocation: string; keyword: string };
};

async function load(source: string): Promise<Generated> {
  const file = join(folder, `module-${files++}.mjs`);
  writeFileSync(file, source);
  return (await import(pathToFileURL(file).href)) as Generated;
}

test("a module has one function per schema and tells where the first failure was", async () => {
  const module = await load(
    toModule(
      {
        Place: { type: "object", properties: { city: { type: "string", minLength: 1 } }, required: ["city"] },
        Trip: {
          type: "object",
          properties: {
            stops: { type: "array", items: { $ref: "#/$defs/stop" }, minItems: 1 },
            at: { format: "date" },
          },
          $defs: {
            stop: { type: "object", properties: { "a/b": { enum: [1, 2] } }, additionalProperties: false },
          },
        },
      },
      { runtime, formats: "assert" },
    ),
  );
  expect(module["isPlace"]?.({ city: "Oslo" })).toBe(true);
  expect(module["isPlace"]?.({ city: 1 })).toBe(false);
  expect(module.lastFailure()).toEqual({ instanceLocation: "/city", keyword: "type" });
  expect(module["isTrip"]?.({ stops: [{ "a/b": 1 }, { "a/b": 3 }] })).toBe(false);
  expect(module.lastFailure()).toEqual({ instanceLocation: "/stops/1/a~1b", keyword: "enum" });
  expect(module["isTrip"]?.({ at: "yesterday" })).toBe(false);
  expect(module.lastFailure()).toEqual({ instanceLocation: "/at", keyword: "format" });
});

test("a module explains what is wrong with a value in the words of the compiler, if it is asked to", async () => {
  const schemas = {
    Place: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    date: { format: "date" },
    odd: JSON.parse('{ "properties": { "__proto__": { "const": "</script>" } } }') as JSONSchema,
  } satisfies Record<string, JSONSchema>;
  for (const language of ["js", "ts"] as const) {
    const text = toModule(schemas, { runtime, formats: "assert", explain: true, language });
    const source = text.replace('"@tenon/jsonschema"', JSON.stringify(main));
    const module = (await load(
      language === "js" ? source : transformSync(source, { loader: "ts" }).code,
    )) as unknown as Record<string, (value: unknown) => Promise<string>>;
    expect(await module["explainPlace"]?.({ city: "Oslo" })).toBe("");
    expect(await module["explainPlace"]?.({ city: 1 })).toBe("city: expected string, received number");
    expect(await module["explainDate"]?.("today")).toBe('expected the format date, received "today"');
    expect(await module["explainOdd"]?.(JSON.parse('{ "__proto__": 1 }'))).toMatch(
      /^__proto__: expected "<\/script>"/,
    );
  }
  expect(toModule(schemas, { runtime })).not.toContain("explain");
});

test("the function of a schema whose name is in lower case is called as its type would be", async () => {
  const module = await load(toModule({ form: { type: "object" } }, { runtime }));
  expect(module["isForm"]?.({})).toBe(true);
  expect(() => toModule({ form: true, Form: true })).toThrow("Form and form are both exported as isForm");
});

test("recursive schemas stop at the depth limit in generated modules too", async () => {
  const module = await load(toModule({ List: { type: "array", items: { $ref: "#" } } }, { runtime }));
  let value: unknown = [];
  for (let i = 0; i < 100_000; i++) {
    value = [value];
  }
  expect(module["isList"]?.([[[]]])).toBe(true);
  expect(module["isList"]?.(value)).toBe(false);
  expect(module.lastFailure()).toEqual({ instanceLocation: "", keyword: "limit" });
});

test("schemas that refer to one document share its functions", () => {
  const document: JSONSchema = {
    $defs: {
      a: { type: "object", properties: { x: { type: "string" }, y: { type: "number" } }, required: ["x"] },
    },
  };
  const one = { $ref: "https://example.test/d#/$defs/a" };
  const source = toModule(
    { One: { properties: { p: one } }, Two: { properties: { q: one } }, Three: one },
    { schemas: { "https://example.test/d": document } },
  );
  expect(source.match(/v\.x/g)).toHaveLength(1);
});

test("code grows with the schema and not with its square: what many places apply is a function", () => {
  const text = { type: "string" } as const;
  const length = (n: number): number => {
    const numbers = Array.from({ length: n }, (_, i) => i);
    const properties = Object.fromEntries(numbers.map((i) => [`p${i}`, text]));
    const patternProperties = { "^p": { anyOf: numbers.map((minLength) => ({ minLength, pattern: "^a" })) } };
    const $defs = { listed: { enum: numbers.map((i) => [i]) } };
    const members = Object.fromEntries(numbers.map((i) => [`m${i}`, { $ref: "#/$defs/listed" }]));
    return toModule({ A: { properties, patternProperties }, B: { properties: members, $defs } }).length;
  };
  expect(length(200) / length(50)).toBeLessThan(6);
});

test("constants that are no JSON are written too", async () => {
  const { isA } = await load(toModule({ A: { enum: [undefined, 1n, "a"] } }, { runtime }));
  expect([undefined, 1n, "a", 2n, null].map((value) => isA?.(value))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("a name that is no identifier and a broken schema are refused", () => {
  expect(() => toModule({ "a-b": true })).toThrow(/not an identifier/);
  expect(() => toModule({ A: { $ref: "#/nowhere" } })).toThrow(/leads nowhere/);
});

describe.skipIf(!suiteIsHere)("with the reference data (skipped where $TENON_SHARED has none)", () => {
  test("one module of all required 2020-12 schemas answers every case, by locating code and without", async () => {
    const known = remotes();
    const cases = suiteCases("draft2020-12", "required");
    const schemas = [...new Set(cases.map((c) => c.schema))];
    // Each schema in a module text of its own group: many of them share `$id`s.
    for (const locate of [true, false]) {
      const wrong: string[] = [];
      for (const schema of schemas) {
        const source = toModule({ S: schema }, { runtime, schemas: known, locate });
        const { isS } = await load(source);
        for (const c of cases) {
          if (c.schema === schema && isS?.(c.data) !== c.valid) {
            wrong.push(`${c.group}: ${c.test}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    }
  });

  test("the MCP schema becomes a module that agrees with compile", async () => {
    const document = JSON.parse(
      readFileSync(join(shared, "data/mcp-schema/2025-11-25/schema.json"), "utf8"),
    ) as JSONSchema & object;
    const uri = "https://example.test/mcp";
    const names = ["Tool", "CallToolRequest", "ListToolsResult", "ClientRequest", "ServerNotification"];
    const schemas = Object.fromEntries(names.map((name) => [name, { $ref: `${uri}#/$defs/${name}` }]));
    const module = await load(toModule(schemas, { runtime, schemas: { [uri]: document } }));
    const tool = { name: "a", inputSchema: { type: "object", properties: { x: { type: "string" } } } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: { x: 1 } } };
    for (const value of [
      tool,
      call,
      { tools: [tool] },
      { tools: [{}] },
      { ...call, method: "nope" },
      null,
      1,
    ]) {
      for (const name of names) {
        const expected = compile(schemas[name] ?? true, { schemas: { [uri]: document } }).is(value);
        expect([name, module[`is${name}`]?.(value)]).toEqual([name, expected]);
      }
    }
  });
});

test("options of toModule that would have no effect are refused", () => {
  const made = (options: object) => () => toModule({ Any: true }, options);
  expect(made({ format: "assert" })).toThrow(
    new TypeError('There is no option "format". Did you mean formats?'),
  );
  expect(made({ language: "py" })).toThrow(new TypeError('language must be one of js, ts; got "py".'));
  expect(made({ locate: false, language: undefined })).not.toThrow();
});
