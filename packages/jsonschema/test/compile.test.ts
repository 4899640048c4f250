import { expect, test } from "vitest";

import { compile as compileCore } from "../src/core.ts";
import {
  compile,
  explain,
  isSchemaError,
  isValidationError,
  tryCompile,
  type CompileOptions,
  type JSONSchema,
} from "../src/index.ts";
import { tryCompile as tryUntrusted } from "../src/untrusted.ts";

const weather = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1 },
    days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
    units: { enum: ["metric", "imperial"] },
  },
  required: ["city"],
  additionalProperties: false,
} as const;

test("is tells whether an instance conforms", () => {
  const validator = compile(weather);
  expect(validator.is({ city: "Oslo", days: 2 })).toBe(true);
  expect(validator.is({ city: "", days: 2 })).toBe(false);
  expect(validator.is({ city: "Oslo", days: 1.5 })).toBe(false);
  expect(validator.is({ city: "Oslo", extra: 1 })).toBe(false);
  expect(validator.is({ days: 2 })).toBe(false);
});

test("check returns the value or every error with its locations", () => {
  const validator = compile({ $id: "https://example.test/weather", ...weather });
  const value = { city: "Oslo" };
  expect(validator.check(value)).toEqual({ valid: true, value });
  const result = validator.check({ days: 99, unitz: "metric" });
  expect(result).toEqual({
    valid: false,
    errors: [
      {
        instanceLocation: "/days",
        keywordLocation: "/properties/days/maximum",
        absoluteKeywordLocation: "https://example.test/weather#/properties/days/maximum",
        keyword: "maximum",
        params: { expected: 14, received: 99 },
        message: "expected at most 14, received 99",
      },
      {
        instanceLocation: "/unitz",
        keywordLocation: "/additionalProperties",
        absoluteKeywordLocation: "https://example.test/weather#/additionalProperties",
        keyword: "additionalProperties",
        params: { expected: ["city", "days", "units"], received: "unitz" },
        message: 'the property "unitz" is not allowed',
      },
      {
        instanceLocation: "",
        keywordLocation: "/required",
        absoluteKeywordLocation: "https://example.test/weather#/required",
        keyword: "required",
        params: { expected: "city", received: undefined },
        message: 'the property "city" is missing',
      },
    ],
  });
});

test("explain gives one line per error and suggests the name that was meant", () => {
  const result = compile(weather).check({ city: "Oslo", unitz: "metric", units: "metrik" });
  expect(result.valid ? "" : explain(result.errors)).toBe(
    'unitz: the property "unitz" is not allowed; did you mean "units"?\n' +
      'units: expected one of "metric", "imperial", received "metrik"; did you mean "metric"?',
  );
});

test("explain names a missing property by its path, and needs no name for the whole value", () => {
  const explained = (schema: JSONSchema, value: unknown, maxErrors?: number): string => {
    const result = compile(schema, { limits: { maxErrors } }).check(value);
    return result.valid ? "" : explain(result.errors);
  };
  const author = { properties: { author: { required: ["first name"] } }, required: ["body"] };
  expect(explained(author, { author: {} })).toBe("author.first name: missing\nbody: missing");
  const billing = { dependentRequired: { card: ["billing"] } };
  expect(explained(billing, { card: 1 })).toBe('billing: missing, which "card" needs');
  expect(explained({ type: "object" }, 1)).toBe("expected object, received number");
  expect(explained({ propertyNames: { maxLength: 2 } }, { long: 1 })).toBe(
    "long: the name of the property is wrong: expected at most 2 characters, received 4",
  );
  const numbers = { items: { type: "number" } } as const;
  const texts = Array.from({ length: 30 }, String);
  expect(explained(numbers, texts).split("\n")).toHaveLength(21);
  expect(explained(numbers, texts)).toMatch(/There may be more errors: a report ends here\.$/);
  expect(explained(numbers, texts.slice(0, 19))).not.toContain("more errors");
  expect(explained(numbers, texts, 3)).toMatch(/^(.*\n){3}There may be more errors: a report ends here\.$/);
  expect(explained(numbers, texts, 100)).not.toContain("more errors");
});

test("a name of one letter is not taken for a misspelt other one", () => {
  const result = compile({ properties: { a: true, id: true }, additionalProperties: false }).check({ x: 1 });
  expect(result.valid ? "" : explain(result.errors)).toBe('x: the property "x" is not allowed');
});

test("the message of a ValidationError is one line, whatever the names hold", () => {
  const { parse } = compile({ additionalProperties: false });
  expect(() => parse({ "a\nAll is well\u2028": 1 })).toThrow(
    /^[^\n\u2028]*a\\u000aAll is well\\u2028[^\n\u2028]*$/,
  );
});

test.each([
  [{ formts: "assert" }, 'There is no option "formts". Did you mean formats?'],
  [{ fomrats: "assert" }, 'There is no option "fomrats". Did you mean formats?'],
  [{ formats: "asert" }, 'formats must be one of annotate, assert, strict; got "asert".'],
  [{ engine: "jit" }, 'engine must be one of auto, closures, codegen; got "jit".'],
  [{ maxErrors: 1 }, 'There is no option "maxErrors". Write limits: { maxErrors: … }.'],
  [
    { limits: { maxErrors: 0 } },
    "limits.maxErrors must be an integer of 1 or more, or Infinity for no limit; got 0.",
  ],
  [
    { limits: { maxErrors: 1.5 } },
    "limits.maxErrors must be an integer of 1 or more, or Infinity for no limit; got 1.5.",
  ],
  [
    { limits: { maxSteps: NaN } },
    "limits.maxSteps must be an integer of 0 or more, or Infinity for no limit; got NaN.",
  ],
  [
    { limits: { maxSubschemas: -1 } },
    "limits.maxSubschemas must be an integer of 0 or more, or Infinity for no limit; got -1.",
  ],
  [{ limits: { maxStep: 1 } }, 'There is no limit "maxStep". Did you mean maxSteps?'],
  [
    { limits: { maxSteps: "1" } },
    'limits.maxSteps must be an integer of 0 or more, or Infinity for no limit; got "1".',
  ],
  [{ loader: null }, "loader must be of type function; got null."],
  [
    { colour: 1 },
    'There is no option "colour". Known are draft, baseUri, formats, customFormats, engine, validateDefaults, schemas, loader, untrusted, limits, regExp.',
  ],
])("options that would have no effect are refused: %o", (options, message) => {
  const wrong = options as unknown as CompileOptions;
  expect(() => compile(true, wrong)).toThrow(new TypeError(message));
  expect(() => tryCompile(true, wrong)).toThrow(new TypeError(message));
  expect(() => tryUntrusted(true, wrong)).toThrow(new TypeError(message));
});

test("explain gives names as they are, on one line whatever they hold", () => {
  const explained = (schema: JSONSchema, value: unknown): string => {
    const result = compile(schema).check(value);
    return result.valid ? "" : explain(result.errors);
  };
  expect(explained({ properties: { "a/b~": { type: "string" } } }, { "a/b~": 1 })).toBe(
    "a/b~: expected string, received number",
  );
  for (const schema of [
    { additionalProperties: false },
    { additionalProperties: { type: "string" } },
  ] as const) {
    const text = explained(schema, { "a\nvalue: all is well\u2028": 1 });
    expect(text).toMatch(/^a\\u000avalue: all is well\\u2028: [^\n\u2028]+$/);
  }
  expect(explained({ pattern: "^a$" }, "a\r\nb")).not.toMatch(/[\r\n]/);
});

test("parse returns the instance itself or throws a ValidationError with the errors", () => {
  const validator = compile(weather);
  const value = { city: "Oslo" };
  expect(validator.parse(value)).toBe(value);
  let thrown: unknown;
  try {
    validator.parse({ city: 1 });
  } catch (error) {
    thrown = error;
  }
  expect(isValidationError(thrown) && thrown.code).toBe("invalid-instance");
  expect(isValidationError(thrown) && thrown.errors.map((e) => e.instanceLocation)).toEqual(["/city"]);
});

test("the schema is handed back as it was given and never modified", () => {
  const frozen = JSON.parse(JSON.stringify(weather)) as Record<string, unknown>;
  const validator = compile(frozen);
  validator.check({ city: 1 });
  expect(validator.schema).toBe(frozen);
  expect(frozen).toEqual(weather);
});

test("only the first # of a reference starts its fragment", () => {
  const languages = compile({
    $ref: "#/$defs/C#",
    $defs: { "C#": { type: "string" }, C: { type: "number" } },
  });
  expect(languages.is("x")).toBe(true);
  expect(languages.is(1)).toBe(false);
});

test("a broken schema throws a SchemaError with code and location, and is a value from tryCompile", () => {
  const broken = { properties: { a: { $ref: "#/$defs/missing" } } };
  const result = tryCompile(broken);
  expect(result.ok ? undefined : [result.error.code, result.error.location]).toEqual([
    "unresolved-reference",
    "#/properties/a/$ref",
  ]);
  expect(() => compile(broken)).toThrowError(/leads nowhere/);
  const codes = [
    [{ minLength: -1 }, "invalid-keyword"],
    [{ type: "strin" }, "invalid-keyword"],
    [{ pattern: "(" }, "invalid-pattern"],
    [{ $ref: "#" }, "infinite-recursion"],
    [{ $schema: "http://json-schema.org/draft-03/schema#" }, "unsupported-dialect"],
    [{ properties: { a: 1 } }, "invalid-schema"],
    [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "duplicate-identifier"],
  ] as const;
  for (const [schema, code] of codes) {
    const result = tryCompile(schema as never);
    expect(result.ok ? undefined : result.error.code).toBe(code);
    expect(result.ok || isSchemaError(result.error)).toBe(true);
  }
});

test("maxErrors bounds the errors, 20 by default", () => {
  const schema = { items: { type: "string" } } as const;
  const bad = Array.from({ length: 100 }, (_, i) => i);
  const count = (max?: number): number => {
    const result = compile(schema, { limits: { maxErrors: max } }).check(bad);
    return result.valid ? 0 : result.errors.length;
  };
  expect(count()).toBe(20);
  expect(count(3)).toBe(3);
});

test.each([
  [{ type: "object", required: ["a"] }, undefined, [["", "expected object, received undefined"]]],
  [{ type: "object", required: ["a"] }, () => 1, [["", "expected object, received function"]]],
  [
    { items: { type: "object", required: ["a"] } },
    [undefined],
    [["/0", "expected object, received undefined"]],
  ],
  [
    { anyOf: [{ type: "string" }, { type: "null" }] },
    undefined,
    [["", "expected null or string, received undefined"]],
  ],
  [{ enum: ["a"] }, Symbol("b"), [["", 'expected one of "a", received Symbol(b)']]],
])("a value that is not JSON is an error like others: %j", (schema, value, expected) => {
  const result = compile(schema as JSONSchema).check(value);
  expect(result.valid ? [] : result.errors.map((e) => [e.instanceLocation, e.message])).toEqual(expected);
});

test("a keyword that holds is not reported beside one that does not", () => {
  const object = { type: "object", minProperties: 1, required: ["a"] } as const;
  for (const [schema, value] of [
    [object, { b: 1 }],
    [{ properties: { x: object } }, { x: { b: 1 } }],
  ] as const) {
    const result = compile(schema as JSONSchema).check(value);
    expect(result.valid ? [] : result.errors.map(({ keyword }) => keyword)).toEqual(["required"]);
  }
});

test("an error that does not depend on the value is the same frozen object in every report", () => {
  const validator = compile({ properties: { a: { type: "string" } }, required: ["b"] });
  const [one, two] = [validator.check({ a: 1 }), validator.check({ a: 2 })];
  if (one.valid || two.valid) {
    throw new Error("both lack b");
  }
  expect(one.errors).toEqual(two.errors);
  expect(one.errors.map((issue, i) => Object.isFrozen(issue) && issue === two.errors[i])).toEqual([
    true,
    true,
  ]);
});

test("a union explains the branch that was meant, also where there is no room for it, and says nothing if another holds", () => {
  const schema = {
    properties: {
      u: {
        anyOf: [
          { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a", "b"] },
          { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
          { type: "array" },
        ],
      },
      v: { type: "string" },
    },
  } as const;
  const keywords = (value: unknown, maxErrors?: number): string[] => {
    const result = compile(schema as JSONSchema, { limits: { maxErrors } }).check(value);
    return result.valid ? [] : result.errors.map(({ keywordLocation }) => keywordLocation);
  };
  const [union, meant] = ["/properties/u/anyOf", "/properties/u/anyOf/0/properties/a/type"];
  expect(keywords({ u: { a: true, b: 1 } })).toEqual([union, meant]);
  expect(keywords({ u: { a: true, b: 1 } }, 1)).toEqual([union]);
  expect(keywords({ u: { a: true, b: 1 }, v: 1 }, 2)).toEqual([union, meant]);
  // The first branch is closer, the second holds.
  expect(keywords({ v: 1, u: { a: 1, b: 1 } })).toEqual(["/properties/v/type"]);
  expect(keywords({ v: 1, u: [] })).toEqual(["/properties/v/type"]);
});

test("applyDefaults fills missing optional properties, nested ones too, in a copy", () => {
  const validator = compile({
    type: "object",
    properties: {
      days: { type: "integer", default: 3 },
      city: { type: "string", default: "never: required" },
      place: { type: "object", properties: { country: { type: "string", default: "NO" } } },
      list: { type: "array", items: { properties: { n: { default: 1 } } } },
      near: { $ref: "#/$defs/near", default: { km: 5 } },
    },
    required: ["city"],
    $defs: { near: { properties: { km: { default: 1 }, unit: { default: "km" } } } },
  });
  const input = { list: [{}, { n: 2 }] };
  expect(validator.applyDefaults(input)).toEqual({
    days: 3,
    place: { country: "NO" },
    list: [{ n: 1 }, { n: 2 }],
    near: { km: 5, unit: "km" },
  });
  expect(input).toEqual({ list: [{}, { n: 2 }] });
  const own = {};
  expect(validator.applyDefaults(own, { mutate: true })).toBe(own);
  expect(own).toHaveProperty("days", 3);
});

test("applyDefaults follows the branch a discriminator selects and no other", () => {
  const branch = (kind: string) => ({
    type: "object",
    properties: { kind: { const: kind }, size: { default: kind } },
    required: ["kind"],
  });
  const validator = compile({ oneOf: [branch("a"), branch("b")] } as never);
  expect(validator.applyDefaults({ kind: "b" })).toEqual({ kind: "b", size: "b" });
  expect(validator.applyDefaults({ kind: "c" })).toEqual({ kind: "c" });
  const undecided = compile({
    anyOf: [{ properties: { a: { default: 1 } } }, { properties: { b: { default: 2 } } }],
  });
  expect(undecided.applyDefaults({})).toEqual({});
});

test("what is no JSON in const and enum does not stop the code generator, and both engines see it alike", () => {
  const values = [undefined, 1, 1n, 10n, Number.NaN, Infinity, -Infinity, null, "a", {}];
  for (const schema of [
    { enum: [undefined, 1] },
    { enum: [10n, "a"] },
    { const: 10n },
    { const: -Infinity },
    { enum: [1, 2, 3, 4, 5, 6, 7, 8, undefined, 10n] },
    { anyOf: [1, 2, 3, 4, 5, 6, 7, 8, 9, undefined].map((value) => ({ const: value })) },
  ]) {
    const [closures, codegen] = (["closures", "codegen"] as const).map((engine) =>
      values.map((value) => compile(schema as JSONSchema, { engine }).is(value)),
    );
    expect(codegen).toEqual(closures);
  }
});

test.each([
  ["the main entry", compile],
  ["the core build", compileCore],
])("strict formats reject a schema with an unknown format, in %s", (_, build) => {
  const schema = { properties: { mail: { format: "emial" } } };
  const customFormats = { emial: (value: string) => value.includes("@") };
  expect(() => build(schema, { formats: "strict" }).is({})).toThrow(
    "format must be a known format; got emial (at #/properties/mail/format)",
  );
  expect(build(schema, { formats: "assert" }).is({ mail: "nobody" })).toBe(true);
  const strict = build(schema, { formats: "strict", customFormats });
  expect([strict.is({ mail: "nobody" }), strict.is({ mail: "a@b" })]).toEqual([false, true]);
});
