import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { drafts } from "../src/dialect/standard.ts";
import { compile, tryCompile, type JSONSchema } from "../src/index.ts";

function code(schema: JSONSchema, options?: Parameters<typeof tryCompile>[1]): string | undefined {
  const result = tryCompile(schema, options);
  return result.ok ? undefined : result.error.code;
}

test("R-490: a schema without $schema is draft 2020-12", () => {
  const tuple = compile({ prefixItems: [{ type: "string" }], items: false });
  expect(tuple.is(["a"])).toBe(true);
  expect(tuple.is(["a", 1])).toBe(false);
});

test("R-491: a schema is read by the dialect it declares, with http or https, with or without #", () => {
  for (const $schema of [
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
  ]) {
    const old = compile({
      $schema,
      items: [{ type: "string" }],
      additionalItems: false,
      prefixItems: [false],
    });
    expect(old.is(["a"])).toBe(true);
    expect(old.is(["a", 1])).toBe(false);
    expect(
      compile({ $schema, $ref: "#/definitions/a", type: "number", definitions: { a: true } }).is("x"),
    ).toBe(true);
  }
});

test("R-491: an unknown dialect is an error, never silent acceptance", () => {
  expect(code({ $schema: "http://json-schema.org/draft-04/schema#" })).toBe("unsupported-dialect");
  expect(code({ $schema: "https://example.test/dialect" })).toBe("unsupported-dialect");
  expect(code({ $defs: { a: { $id: "https://example.test/a", $schema: "urn:x" } } })).toBe(
    "unsupported-dialect",
  );
});

test("R-491: a schema that its dialect does not allow is an error", () => {
  const broken: readonly JSONSchema[] = [
    { type: "text" as "string" },
    { required: "a" as unknown as string[] },
    { properties: [] as unknown as Record<string, JSONSchema> },
    { allOf: [] },
    { minimum: "1" as unknown as number },
    { type: [] },
    { multipleOf: 0 },
    { multipleOf: Infinity },
    { maxLength: 1.5 },
    { pattern: "[" },
  ];
  for (const schema of broken) {
    expect([schema, code(schema) !== undefined]).toEqual([schema, true]);
  }
});

test("a metaschema of one's own selects vocabularies; an unknown required one is an error", () => {
  const metaschema = (extra: Record<string, boolean>): JSONSchema => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $vocabulary: {
      "https://json-schema.org/draft/2020-12/vocab/core": true,
      "https://json-schema.org/draft/2020-12/vocab/applicator": true,
      ...extra,
    },
  });
  const uri = "https://example.test/meta";
  const schema: JSONSchema = {
    $schema: uri,
    properties: { a: { type: "string" } },
    additionalProperties: false,
  };
  const structural = compile(schema, {
    schemas: { [uri]: metaschema({ "https://example.test/optional": false }) },
  });
  expect(structural.is({ a: 1 })).toBe(true);
  expect(structural.is({ b: 1 })).toBe(false);
  expect(code(schema, { schemas: { [uri]: metaschema({ "https://example.test/needed": true }) } })).toBe(
    "unsupported-dialect",
  );
});

test("R-493, R-494: a $ref to a document that is not known is an error that names it; nothing is fetched", () => {
  const result = tryCompile({ $ref: "https://example.test/other.json#/a" });
  expect(result.ok ? undefined : [result.error.code, result.error.uri]).toEqual([
    "unresolved-reference",
    "https://example.test/other.json",
  ]);
});

test("known documents are found by their URI and by the $id they contain", () => {
  const schemas = {
    "https://example.test/d": { $defs: { x: { $id: "https://example.test/x", type: "string" } } },
  } as const;
  expect(compile({ $ref: "https://example.test/d#/$defs/x" }, { schemas }).is(1)).toBe(false);
  expect(compile({ $ref: "https://example.test/x" }, { schemas }).is("a")).toBe(true);
});

test("two schemas with the same $id do not meet: each validator has its own registry", () => {
  const $id = "https://example.test/same";
  expect(compile({ $id, type: "string" }).is("a")).toBe(true);
  expect(compile({ $id, type: "number" }).is("a")).toBe(false);
});

test("R-495: limits can be set, and a schema beyond one is refused", () => {
  const deep = { properties: { a: { properties: { b: { type: "string" } } } } } as const;
  expect(code(deep, { limits: { maxSchemaDepth: 2 } })).toBe("limit-exceeded");
  expect(code(deep, { limits: { maxSchemaDepth: 3 } })).toBeUndefined();
  expect(code(deep, { limits: { maxSubschemas: 2 } })).toBe("limit-exceeded");
  expect(code({ pattern: "aaaa" }, { limits: { maxPatternLength: 3 } })).toBe("limit-exceeded");
  const list = compile({ items: { $ref: "#" } }, { limits: { maxInstanceDepth: 3 } });
  expect(list.is([[]])).toBe(true);
  expect(list.is([[[[]]]])).toBe(false);
});

test("formats are annotations unless asserted; one's own formats replace the built-in ones", () => {
  const schema = { format: "date" } as const;
  expect(compile(schema).is("x")).toBe(true);
  expect(compile(schema, { formats: "assert" }).is("x")).toBe(false);
  const customFormats = {
    date: (value: string) => value === "x",
    even: (value: string) => value.length % 2 === 0,
  };
  expect(compile(schema, { formats: "assert", customFormats }).is("x")).toBe(true);
  expect(compile({ format: "even" }, { formats: "assert", customFormats }).is("abc")).toBe(false);
});

test("a label with letters of both directions is no idn-hostname, whatever script is written from right to left", () => {
  const hostname = compile({ format: "idn-hostname" }, { formats: "assert" });
  // Hebrew, Arabic, Lydian, Old Turkic, Adlam.
  for (const letter of ["\u05d0", "\u0627", "\u{10920}", "\u{10c00}", "\u{1e922}"]) {
    expect([letter, hostname.is(letter), hostname.is(`${letter}a`)]).toEqual([letter, true, false]);
  }
});

test("an IRI may have the characters RFC 3987 lists, which tags and the last two of a plane are not among", () => {
  const iri = compile({ format: "iri" }, { formats: "assert" });
  const accepted = (point: number): boolean => iri.is(`http://example.test/${String.fromCodePoint(point)}`);
  for (const point of [0xa0, 0x1f600, 0x2fffd, 0xdfffd, 0xe1000, 0xefffd]) {
    expect(accepted(point)).toBe(true);
  }
  for (const point of [0x9f, 0xffff, 0x2fffe, 0xdffff, 0xe0001, 0xe0fff, 0xefffe]) {
    expect(accepted(point)).toBe(false);
  }
});

test("a reference without a scheme has no colon in its first segment", () => {
  for (const format of ["uri-reference", "iri-reference"]) {
    const reference = compile({ format }, { formats: "assert" });
    for (const text of [":", ":a", ":a/b", "1:a", "%61:a"]) {
      expect([format, text, reference.is(text)]).toEqual([format, text, false]);
    }
    for (const text of ["./:a", "/:a", "//b/:a", "a/b:c", "?:", "#:", "a:"]) {
      expect([format, text, reference.is(text)]).toEqual([format, text, true]);
    }
  }
});

test("an A-label that encodes surrogates instead of the character they stand for is no hostname", () => {
  const hostname = compile({ format: "hostname" }, { formats: "assert" });
  // U+10920, and U+D802 followed by U+DD20.
  expect(hostname.is("xn--tk9c")).toBe(true);
  expect(hostname.is("xn--kb9bq7g")).toBe(false);
});

test("items that `contains` matches are evaluated since draft 2020-12, not in 2019-09", () => {
  for (const engine of ["closures", "codegen"] as const) {
    for (const [draft, accepts] of [
      ["2020-12", true],
      ["2019-09", false],
    ] as const) {
      const schema = { contains: { type: "string" }, unevaluatedItems: false };
      const validator = compile(schema as JSONSchema, { engine, draft });
      expect([draft, validator.is(["a"])]).toEqual([draft, accepts]);
      expect(validator.check(["a"]).valid).toBe(accepts);
      expect(validator.output(["a"], "flag").valid).toBe(accepts);
      expect(validator.output(["a"], "basic").valid).toBe(accepts);
    }
  }
});

test("draft 2019-09 has $recursiveRef", () => {
  const validator = compile({
    $schema: "https://json-schema.org/draft/2019-09/schema",
    $id: "https://example.test/strict",
    $recursiveAnchor: true,
    $ref: "tree",
    unevaluatedProperties: false,
    $defs: {
      tree: {
        $id: "tree",
        $recursiveAnchor: true,
        properties: { children: { items: { $recursiveRef: "#" } }, data: true },
      },
    },
  } as JSONSchema);
  expect(validator.is({ children: [{ data: 1 }] })).toBe(true);
  expect(validator.is({ children: [{ daat: 1 }] })).toBe(false);
});

test("with the auto engine answers stay the same when generated code takes over", () => {
  const validator = compile({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] });
  for (let i = 0; i < 1500; i++) {
    expect(validator.is({ a: i })).toBe(true);
    expect(validator.is({ a: "x" })).toBe(false);
  }
  expect(validator.check({}).valid).toBe(false);
});

test("bigint is an integer, decimals divide exactly, lengths count code points", () => {
  for (const engine of ["closures", "codegen"] as const) {
    expect(compile({ type: "integer", minimum: 2, multipleOf: 3 }, { engine }).is(9n)).toBe(true);
    expect(compile({ type: "integer", maximum: 2 }, { engine }).is(9n)).toBe(false);
    expect(compile({ multipleOf: 0.01 }, { engine }).is(8.69)).toBe(true);
    expect(compile({ multipleOf: 0.01 }, { engine }).is(8.695)).toBe(false);
    expect(compile({ multipleOf: 1e-8 }, { engine }).is(12391239123)).toBe(true);
    expect(compile({ minLength: 2 }, { engine }).is("😀")).toBe(false);
    expect(compile({ maxLength: 1 }, { engine }).is("😀")).toBe(true);
  }
});

test("a bigint is equal to the number with its value, and to no other", () => {
  const large = 2 ** 53;
  const many = Array.from({ length: 20 }, (_, i) => i);
  for (const engine of ["closures", "codegen"] as const) {
    const is = (schema: JSONSchema, value: unknown): boolean => compile(schema, { engine }).is(value);
    expect(is({ const: 1 }, 1n)).toBe(true);
    expect(is({ const: 1 }, 2n)).toBe(false);
    expect(is({ const: "1" }, 1n)).toBe(false);
    expect(is({ const: 1n }, 1)).toBe(true);
    expect(is({ const: large }, BigInt(large))).toBe(true);
    expect(is({ const: large }, BigInt(large) + 1n)).toBe(false);
    expect(is({ enum: [0, "a", 2] }, 2n)).toBe(true);
    expect(is({ enum: [0, "a", 2] }, 3n)).toBe(false);
    expect(is({ enum: [0n, 5n] }, 5)).toBe(true);
    expect(is({ enum: many }, 19n)).toBe(true);
    expect(is({ enum: many }, 20n)).toBe(false);
    expect(is({ anyOf: many.map((value) => ({ const: value })) }, 19n)).toBe(true);
    expect(is({ const: [1e21] }, [10n ** 21n])).toBe(true);
    expect(is({ uniqueItems: true }, [...many, 1e21, 10n ** 21n])).toBe(false);
    expect(is({ properties: { a: { const: 1 } }, required: ["a"] }, { a: 1n })).toBe(true);
  }
});

test("R-492: the README names the dialects that are supported, and only those", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Dialects\n([^]*?)^## /m.exec(readme) ?? [];
  const named = new Set(section.match(/20\d\d-\d\d|draft-\d\d/g));
  expect([...named].sort()).toEqual(Object.keys(drafts).sort());
});
