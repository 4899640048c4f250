import { expect, test } from "vitest";

import { compile, tryCompile, type CompileOptions, type JSONSchema } from "../src/index.ts";

const refused = (schema: JSONSchema, options?: CompileOptions): unknown => {
  const result = tryCompile(schema, { validateDefaults: true, ...options });
  return result.ok ? undefined : [result.error.code, result.error.location];
};

test("validateDefaults refuses a default that does not conform to its own schema", () => {
  const schema = { properties: { "a/b": { type: "integer", minimum: 1, default: 0 } } } as const;
  expect(compile(schema).applyDefaults({})).toEqual({ "a/b": 0 });
  expect(refused(schema)).toEqual(["invalid-default", "#/properties/a~1b/default"]);
  expect(refused({ properties: { a: { type: "integer", default: 3 } } })).toBeUndefined();
});

test("defaults behind references are found, and those beside a reference are checked against what it leads to", () => {
  const $defs = { port: { type: "integer", maximum: 65_535 } } as const;
  expect(refused({ items: { $ref: "#/$defs/port", default: 70_000 }, $defs })).toEqual([
    "invalid-default",
    "#/items/default",
  ]);
  const behind = { items: { $ref: "#/$defs/a" }, $defs: { a: { type: "string", default: 1 } } } as const;
  expect(refused(behind)).toEqual(["invalid-default", "#/$defs/a/default"]);
});

test("in draft-07 a default beside $ref does not count", () => {
  const schema = {
    items: { $ref: "#/definitions/port", default: "x" },
    definitions: { port: { type: "integer" } },
  } as const;
  expect(refused(schema, { draft: "draft-07" })).toBeUndefined();
  expect(refused(schema)).toEqual(["invalid-default", "#/items/default"]);
});
