import { compile, type JSONSchema } from "@tenon/jsonschema";
import { expect, test } from "vitest";

import {
  fromAnthropicArguments,
  fromGeminiArguments,
  fromStrictArguments,
  strictSchema,
  toAiSdkTool,
  toAnthropicTool,
  toGeminiFunction,
  toOpenAiChatTool,
  type NamedTool,
  type Schema,
  type VendorChange,
} from "../src/index.ts";
import { corpus } from "./vendors/corpus.ts";
import { strictable, valueFor } from "./vendors/strictable.ts";

const named = (schema: unknown): NamedTool => ({
  server: "s",
  name: "mcp__s__t",
  tool: { name: "t", inputSchema: schema as NamedTool["tool"]["inputSchema"] },
});

/** A check by the schema itself; `undefined` if it is not a schema that can be compiled. */
function checkOf(schema: Schema): ((value: unknown) => boolean) | undefined {
  try {
    const compiled = compile(schema as JSONSchema);
    return (value) => compiled.is(value);
  } catch {
    return undefined;
  }
}

/** 100,000 by hand or at night. */
const runs = Number(process.env["TENON_VENDOR_RUNS"] ?? 250);

test("arguments that fit a strict schema fit the server's schema on their way back", () => {
  let [strict, tried] = [0, 0];
  const generated = Array.from({ length: runs }, (_, seed) => strictable(seed));
  for (const schema of [...corpus.map((shape) => shape.schema), ...generated]) {
    const converted = strictSchema(schema);
    const fitsStrict = converted && checkOf(converted);
    const fits = fitsStrict && checkOf(schema);
    if (converted === undefined || fits === undefined || fitsStrict === undefined) {
      continue;
    }
    strict++;
    for (let seed = 0; seed < 8; seed++) {
      const args = valueFor(converted, seed) as Record<string, unknown>;
      // The values are not made for patterns and formats.
      if (fitsStrict(args)) {
        tried++;
        const back = fromStrictArguments(schema, args);
        expect({ schema, args, back, fits: fits(back) }).toEqual({ schema, args, back, fits: true });
      }
    }
  }
  expect(strict).toBeGreaterThan(runs / 4);
  expect(tried).toBeGreaterThan(strict * 4);
});

test("nulls of optional properties are left out in unions, in lists of unions, and behind references", () => {
  const Page = {
    type: "object",
    properties: { limit: { type: "integer" }, after: { type: "string" } },
    required: ["limit"],
  };
  const schema = {
    type: "object",
    $defs: { Page },
    properties: {
      page: { anyOf: [{ $ref: "#/$defs/Page" }, { type: "null" }] },
      list: { type: "array", items: { anyOf: [{ $ref: "#/$defs/Page" }, { type: "string" }] } },
    },
    required: ["page"],
  };
  const args = { page: { limit: 5, after: null }, list: [{ limit: 1, after: null }, "s"] };
  expect(fromStrictArguments(schema, args)).toEqual({ page: { limit: 5 }, list: [{ limit: 1 }, "s"] });
  expect(fromStrictArguments(schema, { page: null, list: null })).toEqual({ page: null });
});

test("the branch that a value fits decides which of its nulls are left out", () => {
  const branch = (kind: string, note: object, required: string[]): object => ({
    type: "object",
    properties: { kind: { const: kind, type: "string" }, note },
    required: ["kind", ...required],
  });
  const schema = {
    type: "object",
    properties: {
      p: {
        anyOf: [
          branch("a", { type: "string" }, []),
          branch("b", { anyOf: [{ type: "string" }, { type: "null" }] }, ["note"]),
        ],
      },
    },
    required: ["p"],
  };
  expect(strictSchema(schema)).toBeDefined();
  expect(fromStrictArguments(schema, { p: { kind: "a", note: null } })).toEqual({ p: { kind: "a" } });
  expect(fromStrictArguments(schema, { p: { kind: "b", note: null } })).toEqual({
    p: { kind: "b", note: null },
  });
});

test("without strict mode a null stays where the server takes it, and in maps", () => {
  const schema = {
    type: "object",
    properties: {
      clear: { type: ["string", "null"] },
      limit: { type: "integer" },
      map: { type: "object", additionalProperties: true, properties: { known: { type: "string" } } },
      any: {},
    },
  };
  expect(strictSchema(schema)).toBeUndefined();
  const args = { clear: null, limit: null, map: { known: null, other: null }, any: null, unknown: null };
  expect(fromStrictArguments(schema, args)).toEqual({
    clear: null,
    map: { other: null },
    any: null,
    unknown: null,
  });
});

const keys = ["$top", "@top", "_top", "filter[x]", "ok", "x".repeat(80), "größe", "", "__proto__", "1st"];

test.each([
  ["Anthropic", (schema: Schema) => toAnthropicTool(named(schema)).input_schema, fromAnthropicArguments],
  ["Gemini", (schema: Schema) => toGeminiFunction(named(schema)).parameters, fromGeminiArguments],
] as const)("%s: renamed properties have exactly one way back, at every place", (_, convert, back) => {
  const row = {
    type: "object",
    properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])),
  };
  const schema = {
    type: "object",
    properties: {
      "the row": { $ref: "#/$defs/row" },
      list: { type: "array", items: { $ref: "#/$defs/row" } },
      either: { anyOf: [{ type: "string" }, { allOf: [{ $ref: "#/$defs/row" }] }] },
      map: { type: "object", additionalProperties: { type: "string" } },
    },
    required: ["the row"],
    $defs: { row },
  };
  const converted = convert(schema) as { properties: Record<string, unknown>; required: string[] };
  const [theRow = ""] = Object.keys(converted.properties);
  expect(converted.required).toEqual([theRow]);
  const flat = convert(row) as { properties: Record<string, unknown> };
  const mended = Object.keys(flat.properties);
  expect(new Set(mended).size).toBe(keys.length);
  const values = Object.fromEntries(mended.map((key, index) => [key, `value ${index}`]));
  const original = Object.fromEntries(keys.map((key, index) => [key, `value ${index}`]));
  const args = { [theRow]: values, list: [values, values], either: values, map: values };
  // The keys of a map are the server's, even if they look like new names.
  expect(back(schema, args)).toEqual({
    "the row": original,
    list: [original, original],
    either: original,
    map: values,
  });
  expect(back(row, values)).toEqual(original);
  expect(back(schema, JSON.parse('{"other":1}') as Record<string, unknown>)).toEqual({ other: 1 });
});

test("a tool for the Vercel AI SDK renames properties, and calls with the server's own names", async () => {
  const calls: unknown[] = [];
  const caller = {
    callTool: async (...[, , args]: [string, string, unknown, unknown]) => {
      calls.push(args);
      return { content: [] };
    },
  };
  const schema = { type: "object", properties: { $top: { type: "integer" } } };
  const tool = toAiSdkTool(named(schema), caller, (given: object) => given);
  const [key = ""] = Object.keys((tool.inputSchema as { properties: object }).properties);
  await tool.execute({ [key]: 5 }, {});
  expect(key).not.toBe("$top");
  expect(calls).toEqual([{ $top: 5 }]);
});

test("what was changed is reported with its place, and nothing else is", () => {
  const changes: VendorChange[] = [];
  const onChange = (change: VendorChange): void => void changes.push(change);
  const clean = { type: "object", properties: { a: { type: "string", description: "A" } }, required: ["a"] };
  for (const convert of [toAnthropicTool, toGeminiFunction, toOpenAiChatTool]) {
    convert(named(clean), { onChange });
  }
  expect(changes).toEqual([]);
  const schema = {
    type: "object",
    properties: { $top: { type: "int" }, p: { type: "string", pattern: "[" } },
    oneOf: [{ required: ["p"] }],
  };
  toAnthropicTool(named(schema), { onChange });
  expect(changes.map(({ tool, kind, at }) => `${tool} ${kind} ${at}`)).toEqual([
    "mcp__s__t replaced /inputSchema",
    "mcp__s__t renamed /inputSchema/properties/$top",
    "mcp__s__t replaced /inputSchema/properties/$top/type",
    "mcp__s__t removed /inputSchema/properties/p/pattern",
  ]);
  for (const { message } of changes) {
    expect(message).toMatch(/\.$/);
  }
});

test("definitions that name each other many times stay small, and keep their references where the vendor takes them", () => {
  const diamonds = corpus.filter(({ name }) => name.startsWith("size: diamonds"));
  expect(diamonds).toHaveLength(4);
  for (const { schema } of diamonds) {
    const size = JSON.stringify(schema).length;
    expect(JSON.stringify(toAnthropicTool(named(schema))).length).toBeLessThan(2 * size + 200);
    expect(JSON.stringify(toOpenAiChatTool(named(schema), { strict: true })).length).toBeLessThan(
      4 * size + 200,
    );
    expect(JSON.stringify(toGeminiFunction(named(schema))).length).toBeLessThan(200_000);
    // Each level is read once for a value, whatever the schema would be if it were written out.
    expect(fromStrictArguments(schema, { root: { p0: { p0: null } } })).toEqual({ root: { p0: {} } });
  }
});
