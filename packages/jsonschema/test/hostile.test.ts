import { expect, test } from "vitest";

import { compile, tryCompile, type CompileOptions, type JSONSchema } from "../src/index.ts";

const engines: readonly CompileOptions[] = [
  { engine: "closures" },
  { engine: "codegen" },
  { engine: "closures", untrusted: true },
  { engine: "codegen", untrusted: true },
];

/**
 * `is`, or the code of the error if the schema is refused; asks twice, since nothing may stick from
 * the first time.
 */
function outcome(schema: JSONSchema, instance: unknown, options: CompileOptions): boolean | string {
  const result = tryCompile(schema, options);
  if (!result.ok) {
    return result.error.code;
  }
  const first = result.validator.is(instance);
  expect(result.validator.is(instance)).toBe(first);
  expect(result.validator.check(instance).valid).toBe(first);
  return first;
}

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) {
    value = [value];
  }
  return value;
}

function bomb(keyword: "allOf" | "anyOf", levels: number, leaf: JSONSchema): JSONSchema {
  const $defs: Record<string, JSONSchema> = { l0: leaf };
  for (let i = 1; i <= levels; i++) {
    // The bounds keep the two branches from being recognised as the same schema.
    const branch = (minLength: number): JSONSchema => ({ $ref: `#/$defs/l${i - 1}`, minLength });
    $defs[`l${i}`] = { [keyword]: [branch(0), branch(1)] };
  }
  return { $ref: `#/$defs/l${levels}`, $defs };
}

for (const options of engines) {
  const name = `${options.engine}${options.untrusted === true ? ", untrusted" : ""}`;

  test(`100,000 nested arrays against a recursive schema are invalid, not a RangeError (${name})`, () => {
    const schema = {
      $ref: "#/$defs/list",
      $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
    } as const;
    expect(outcome(schema, nested(100_000), options)).toBe(false);
    expect(outcome(schema, nested(400), options)).toBe(true);
    const result = compile(schema, options).check(nested(100_000));
    expect(result.valid ? [] : result.errors.map((e) => [e.keyword, e.params.received])).toEqual([
      ["limit", "maxInstanceDepth"],
    ]);
  });

  test(`a schema that refers to itself in place is refused (${name})`, () => {
    expect(outcome({ $ref: "#" }, 1, options)).toBe("infinite-recursion");
    expect(outcome({ allOf: [{ anyOf: [{ not: { $ref: "#" } }] }] }, 1, options)).toBe("infinite-recursion");
  });

  test(`an allOf bomb of 2^24 stops at the step limit (${name})`, () => {
    expect(outcome(bomb("allOf", 24, { type: "string" }), "x", options)).toBe(false);
  });

  test(`an anyOf bomb of 2^22 that no branch matches stops at the step limit (${name})`, () => {
    expect(outcome(bomb("anyOf", 22, { type: "number" }), "x", options)).toBe(false);
  });

  test(`bombs of equal references are no work at all (${name})`, () => {
    const $defs: Record<string, JSONSchema> = { l0: { type: "string" } };
    for (let i = 1; i <= 24; i++) {
      $defs[`l${i}`] = { allOf: [{ $ref: `#/$defs/l${i - 1}` }, { $ref: `#/$defs/l${i - 1}` }] };
    }
    expect(outcome({ $ref: "#/$defs/l24", $defs }, "x", options)).toBe(true);
  });

  test(`recursion that doubles the work with every level of the instance stops at the step limit (${name})`, () => {
    const a = { properties: { a: { $ref: "#" } } };
    let instance: unknown = {};
    for (let i = 0; i < 40; i++) {
      instance = { a: instance };
    }
    expect(
      outcome(
        {
          allOf: [
            { ...a, title: "x" },
            { ...a, minProperties: 0 },
          ],
        },
        instance,
        options,
      ),
    ).toBe(false);
  });

  test(`uniqueItems on 20,000 objects is answered (${name})`, () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `n${i}` }));
    expect(outcome({ uniqueItems: true }, items, options)).toBe(true);
    expect(outcome({ uniqueItems: true }, [...items, { name: "n5", id: 5 }], options)).toBe(false);
  });

  test(`uniqueItems on items nested 100,000 deep is invalid, not a RangeError (${name})`, () => {
    const items = Array.from({ length: 20 }, () => nested(100_000));
    expect(outcome({ uniqueItems: true }, items, options)).toBe(false);
    expect(outcome({ uniqueItems: true }, items.slice(0, 2), options)).toBe(true);
  });

  test(`a schema nested 5000 deep is refused (${name})`, () => {
    let schema: JSONSchema = { type: "string" };
    for (let i = 0; i < 5000; i++) {
      schema = { properties: { a: schema } };
    }
    expect(outcome(schema, {}, options)).toBe("limit-exceeded");
  });

  test(`a chain of 5000 references is followed or refused, never a RangeError (${name})`, () => {
    const $defs: Record<string, JSONSchema> = { l0: { type: "string" } };
    for (let i = 1; i <= 5000; i++) {
      $defs[`l${i}`] = { $ref: `#/$defs/l${i - 1}`, title: "x" };
    }
    expect([true, "limit-exceeded"]).toContain(outcome({ $ref: "#/$defs/l5000", $defs }, "x", options));
    const chain: Record<string, JSONSchema> = { l0: { type: "string" } };
    for (let i = 1; i <= 5000; i++) {
      chain[`l${i}`] = { properties: { a: { $ref: `#/$defs/l${i - 1}` } } };
    }
    expect([true, "limit-exceeded"]).toContain(
      outcome({ $ref: "#/$defs/l5000", $defs: chain }, { a: {} }, options),
    );
  });

  test(`what may be unevaluated is found out once for each subschema, however many ways lead there (${name})`, () => {
    const $defs: Record<string, JSONSchema> = { l0: { patternProperties: { "^a": true } } };
    for (let level = 1; level <= 24; level++) {
      const $ref = `#/$defs/l${level - 1}`;
      $defs[`l${level}`] = { allOf: [{ $ref }, { $ref, minProperties: 0 }] };
    }
    const schema: JSONSchema = { $ref: "#/$defs/l24", unevaluatedProperties: false, $defs };
    expect([true, false]).toContain(outcome(schema, { a: 1 }, options));
    expect(outcome(schema, { b: 1 }, options)).toBe(false);
  });

  test(`wide unions of wide unions are answered, for each level costs as much as the first (${name})`, () => {
    const $defs: Record<string, JSONSchema> = { l0: { type: "string" } };
    for (let level = 1; level <= 10; level++) {
      const anyOf = Array.from({ length: 30 }, (_, i) => ({ $ref: `#/$defs/l${level - 1}`, minLength: i }));
      $defs[`l${level}`] = { anyOf };
    }
    expect(outcome({ $ref: "#/$defs/l10", $defs }, "x".repeat(30), options)).toBe(true);
    expect(outcome({ $ref: "#/$defs/l10", $defs }, 1, options)).toBe(false);
  });

  test(`anyOf of 20,000 consts is answered, or refused if untrusted (${name})`, () => {
    const schema = { anyOf: Array.from({ length: 20_000 }, (_, i) => ({ const: `c${i}` })) };
    const expected = options.untrusted === true ? "limit-exceeded" : true;
    expect(outcome(schema, "c19999", options)).toBe(expected);
    if (expected === true) {
      expect(outcome(schema, "d", options)).toBe(false);
    }
  });
}

test("an untrusted pattern that backtracks without end is matched in linear time", () => {
  const validator = compile({ pattern: "^(a+)+$" }, { untrusted: true });
  expect(validator.is("a".repeat(50_000))).toBe(true);
  expect(validator.is(`${"a".repeat(50_000)}!`)).toBe(false);
});

test("untrusted patterns that no linear matcher takes are refused, and a regExp of the caller lifts that", () => {
  const schema = { pattern: "(a+)\\1" };
  const refused = tryCompile(schema, { untrusted: true });
  expect(refused.ok ? undefined : refused.error.code).toBe("unsupported-pattern");
  const validator = compile(schema, { untrusted: true, regExp: (source) => new RegExp(source, "u") });
  expect(validator.is("aa")).toBe(true);
  const long = tryCompile({ pattern: "a".repeat(2001) }, { untrusted: true });
  expect(long.ok ? undefined : long.error.code).toBe("limit-exceeded");
});

test("untrusted schemas never reach the loader", () => {
  const asked: string[] = [];
  const loader = (uri: string): JSONSchema => {
    asked.push(uri);
    return true;
  };
  const schema = { $ref: "https://example.test/other" };
  const refused = tryCompile(schema, { untrusted: true, loader });
  expect(refused.ok ? undefined : [refused.error.code, refused.error.uri]).toEqual([
    "unresolved-reference",
    "https://example.test/other",
  ]);
  expect(asked).toEqual([]);
  expect(compile(schema, { loader }).is(1)).toBe(true);
  expect(asked).toEqual(["https://example.test/other"]);
});

test("a schema object that contains itself is refused", () => {
  const schema: Record<string, unknown> = {};
  schema["properties"] = { a: schema };
  const result = tryCompile(schema);
  expect(result.ok ? undefined : result.error.code).toBe("invalid-schema");
});

test("names of Object.prototype are ordinary property names", () => {
  for (const engine of ["closures", "codegen"] as const) {
    const required = compile({ required: ["toString", "constructor", "__proto__"] }, { engine });
    expect(required.is({})).toBe(false);
    expect(required.is(JSON.parse('{"toString":1,"constructor":2,"__proto__":3}'))).toBe(true);
    const closed = compile(
      JSON.parse('{"properties":{"__proto__":{"type":"number"}},"additionalProperties":false}'),
      { engine },
    );
    expect(closed.is(JSON.parse('{"__proto__":1}'))).toBe(true);
    expect(closed.is(JSON.parse('{"__proto__":"x"}'))).toBe(false);
    expect(closed.is({})).toBe(true);
  }
});

test("text of a schema never becomes code", () => {
  const evil = '");globalThis.pwned=1;("';
  const schema = JSON.parse(
    JSON.stringify({
      $id: "https://example.test/",
      title: evil,
      properties: {
        [evil]: { const: evil, pattern: evil.replaceAll(/[()]/g, "."), enum: [evil, "\u2028", "${x}", "`"] },
      },
      required: [evil, "\n"],
      dependentRequired: { [evil]: ["\u2029"] },
    }),
  ) as JSONSchema;
  const validator = compile(schema, { engine: "codegen" });
  expect(validator.is({ [evil]: evil, "\n": 1, "\u2029": 1 })).toBe(true);
  expect(validator.is({ [evil]: "\u2028", "\n": 1 })).toBe(false);
  expect("pwned" in globalThis).toBe(false);
});

test("what says what is wrong stops at the limits too, where ways through the schema multiply", () => {
  const next = { properties: { a: { $ref: "#" } } };
  const validator = compile({ required: ["x"], allOf: [next, next] }, { limits: { maxErrors: 5_000 } });
  let deep: object = {};
  for (let i = 0; i < 100; i++) {
    deep = { a: deep, x: 1 };
  }
  const result = validator.check({ a: deep });
  expect(result.valid ? undefined : result.errors.at(-1)?.params.received).toBe("maxSteps");
});

test("applyDefaults on an instance nested 100,000 deep stops where validation would", () => {
  const validator = compile({ items: { $ref: "#" }, properties: { a: { default: 1 } } });
  const value = [{}, nested(100_000)];
  expect(validator.applyDefaults(value, { mutate: true })).toBe(value);
  expect(value[0]).toEqual({ a: 1 });
  expect(Array.isArray(validator.applyDefaults([nested(100_000)]))).toBe(true);
});

test("the dynamic anchors of a long chain of resources count as subschemas", () => {
  const chain = (length: number): JSONSchema => ({
    $ref: "r0",
    $defs: Object.fromEntries(
      Array.from({ length }, (_, i) => [
        `r${i}`,
        { $id: `r${i}`, $dynamicAnchor: `a${i}`, ...(i + 1 < length ? { $ref: `r${i + 1}` } : {}) },
      ]),
    ),
  });
  expect(tryCompile(chain(100)).ok).toBe(true);
  expect(tryCompile(chain(1_000))).toMatchObject({
    ok: false,
    error: { code: "limit-exceeded", message: expect.stringContaining("maxSubschemas (50000)") as string },
  });
  expect(tryCompile(chain(200), { untrusted: true })).toMatchObject({
    ok: false,
    error: { code: "limit-exceeded" },
  });
});
