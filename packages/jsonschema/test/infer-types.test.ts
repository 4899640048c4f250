import { expect, expectTypeOf, test } from "vitest";

import { compile as compileCore } from "../src/core.ts";
import {
  compile,
  defineSchema,
  tryCompile,
  type Infer,
  type InferInput,
  type JSONSchema,
} from "../src/index.ts";
import { compileTypeScript } from "./support/tsc.ts";

// Type-level expectations are checked by `tsc -p tsconfig.tests.json`; the calls run as well.

test("an object literal gives required, optional and defaulted properties without `as const`", () => {
  const schema = defineSchema({
    type: "object",
    properties: {
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", default: 20 },
      tags: { type: "array", items: { type: "string" } },
      mode: { enum: ["fast", "full", null] },
    },
    required: ["query"],
    additionalProperties: false,
  });
  expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
    query: string;
    limit: number;
    tags?: string[];
    mode?: "fast" | "full" | null;
  }>();
  expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{
    query: string;
    limit?: number;
    tags?: string[];
    mode?: "fast" | "full" | null;
  }>();
});

test("compile types the validator by the literal: before defaults in check, after them in applyDefaults", () => {
  const validator = compile({
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer", default: 20 } },
    required: ["query"],
  });
  const value = validator.parse({ query: "x" });
  expectTypeOf(value).toEqualTypeOf<{ query: string; limit?: number }>();
  const filled = validator.applyDefaults(value);
  expectTypeOf(filled).toEqualTypeOf<{ query: string; limit: number }>();
  expect(filled).toEqual({ query: "x", limit: 20 });
  const unknownValue: unknown = { query: "x" };
  if (validator.is(unknownValue)) {
    expectTypeOf(unknownValue.query).toBeString();
  } else {
    expect.unreachable();
  }
  const result = tryCompile({ type: "array", items: { type: "number" } });
  if (result.ok) {
    expectTypeOf(result.validator.parse([1])).toEqualTypeOf<number[]>();
  }
});

test("a promise of the caller and a schema of unknown shape keep working", () => {
  interface Config {
    port: number;
  }
  expectTypeOf(compile<Config>({ type: "object" }).parse({ port: 1 })).toEqualTypeOf<Config>();
  const wide: JSONSchema = { type: "string" };
  expectTypeOf(compile(wide as JSONSchema).parse("x")).toBeUnknown();
  expectTypeOf(compile(JSON.parse('{"type":"string"}')).parse("x")).toBeUnknown();
});

test("a union of objects narrows by its discriminator", () => {
  const schema = defineSchema({
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "circle" }, r: { type: "number" } },
        required: ["kind", "r"],
      },
      {
        type: "object",
        properties: {
          kind: { const: "line" },
          to: {
            type: "array",
            prefixItems: [{ type: "number" }, { type: "number" }],
            items: false,
            minItems: 2,
          },
        },
        required: ["kind", "to"],
      },
    ],
  });
  type Shape = Infer<typeof schema>;
  expectTypeOf<Shape>().toEqualTypeOf<
    { kind: "circle"; r: number } | { kind: "line"; to: [number, number] }
  >();
  const size = (shape: Shape): number => (shape.kind === "circle" ? shape.r : shape.to[0]);
  expect(size({ kind: "line", to: [3, 4] })).toBe(3);
});

test("recursion through $ref is typed at every depth", () => {
  const schema = defineSchema({
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: {
          value: { type: "string" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        },
        required: ["value"],
      },
    },
  });
  type Node = Infer<typeof schema>;
  const tree: Node = { value: "a", children: [{ value: "b", children: [{ value: "c" }] }] };
  expectTypeOf(tree.children?.[0]?.children?.[0]?.value).toEqualTypeOf<string | undefined>();
  // @ts-expect-error a number three levels down
  const wrong: Node = { value: "a", children: [{ value: "b", children: [{ value: 1 }] }] };
  expect(compile(schema).is(tree)).toBe(true);
  expect(compile(schema).is(wrong)).toBe(false);

  const self = defineSchema({
    type: "object",
    properties: { next: { $ref: "#" }, name: { type: "string" } },
    required: ["name"],
  });
  const list: Infer<typeof self> = { name: "a", next: { name: "b" } };
  expectTypeOf(list.next?.next?.next?.name).toEqualTypeOf<string | undefined>();

  type Pointed = Infer<{
    properties: { a: { $ref: "#/definitions/x/items" } };
    definitions: { x: { items: { type: "null" } } };
  }>;
  expectTypeOf<Pointed>().toEqualTypeOf<{ a?: null }>();
});

test("each keyword that shapes a value shapes its type", () => {
  expectTypeOf<Infer<true>>().toBeUnknown();
  expectTypeOf<Infer<false>>().toBeNever();
  expectTypeOf<Infer<{ description: "anything" }>>().toBeUnknown();
  expectTypeOf<Infer<{ type: "null" }>>().toBeNull();
  expectTypeOf<Infer<{ type: ["string", "null"] }>>().toEqualTypeOf<string | null>();
  expectTypeOf<Infer<{ type: ["array", "null"]; items: { type: "string" } }>>().toEqualTypeOf<
    string[] | null
  >();
  expectTypeOf<Infer<{ anyOf: [{ type: "string" }, { type: "null" }] }>>().toEqualTypeOf<string | null>();
  expectTypeOf<Infer<{ type: "object" }>>().toEqualTypeOf<{ [name: string]: unknown }>();
  expectTypeOf<Infer<{ type: "object"; additionalProperties: { type: "number" } }>>().toEqualTypeOf<{
    [name: string]: number;
  }>();
  expectTypeOf<
    Infer<{ type: "object"; additionalProperties: { type: "number" }; propertyNames: { enum: ["a", "b"] } }>
  >().toEqualTypeOf<{ a?: number; b?: number }>();
  expectTypeOf<
    Infer<{ type: "object"; patternProperties: { "^x": { type: "string" } }; additionalProperties: false }>
  >().toEqualTypeOf<{ [name: string]: string }>();
  type Nullable = Infer<{
    type: ["object", "null"];
    properties: { a: { type: "string" } };
    required: ["a"];
  }>;
  expectTypeOf<Nullable>().toEqualTypeOf<{ a: string } | null>();
  expectTypeOf<Infer<{ type: ["object", "string"]; required: ["a"] }>>().toEqualTypeOf<
    { a: unknown } | string
  >();
  type Patterns = {
    type: "object";
    patternProperties: { "^n_": { type: "number" } };
    additionalProperties: { type: "string" };
  };
  expectTypeOf<Infer<Patterns>>().toEqualTypeOf<{ [name: string]: string | number }>();
  expectTypeOf<Infer<Patterns & { properties: { a: { type: "boolean" } } }>["other"]>().toEqualTypeOf<
    string | number | boolean | undefined
  >();
  expectTypeOf<
    Infer<{ type: "array"; prefixItems: [{ type: "string" }, { type: "number" }]; minItems: 1; items: false }>
  >().toEqualTypeOf<[string, number?]>();
  expectTypeOf<Infer<{ type: "array"; prefixItems: [{ type: "string" }]; minItems: 1 }>>().toEqualTypeOf<
    [string, ...unknown[]]
  >();
  expectTypeOf<Infer<{ const: { a: readonly [1, "x"] } }>>().toEqualTypeOf<{ a: [1, "x"] }>();
  expectTypeOf<Infer<{ type: "string"; anyOf: [{ minLength: 3 }, { format: "uri" }] }>>().toBeString();
});

test("combinators beside properties intersect with them", () => {
  type Either = Infer<{
    type: "object";
    properties: { a: { type: "string" }; b: { type: "number" } };
    anyOf: [{ required: ["a"] }, { required: ["b"] }];
  }>;
  const a: Either = { a: "x" };
  // @ts-expect-error neither of the two
  const none: Either = {};
  expect([a, none]).toHaveLength(2);

  type Both = Infer<{
    allOf: [
      { type: "object"; properties: { a: { type: "string" } }; required: ["a"] },
      { type: "object"; properties: { b: { type: "number" } } },
    ];
  }>;
  const both: Both = { a: "x", b: 1 };
  expectTypeOf(both.a).toBeString();

  type Open = Infer<{
    type: "object";
    properties: { a: { type: "string" } };
    required: ["a"];
    additionalProperties: { type: "number" };
  }>;
  const open: Open = { a: "x", other: 1 };
  expectTypeOf(open.a).toBeString();
  expectTypeOf(open["other"]).toEqualTypeOf<string | number | undefined>();
});

test("a wrong keyword value is an error where it is written", async () => {
  const { errors } = await compileTypeScript(`
    import { compile, defineSchema } from "SOURCE/index.ts";
    compile({ type: "objekt" });
    defineSchema({ type: "object", required: "a" });
    compile({ type: "object", properties: { a: { type: "string", minLength: "1" } } });
  `);
  expect(errors).toHaveLength(3);
  expect(errors[0]).toContain("program.ts(3,15)");
  expect(errors[0]).toContain('"objekt"');
  expect(errors[1]).toContain("program.ts(4,36)");
  expect(errors[2]).toContain("program.ts(5,66)");
});

test("the core build types its validator by the literal too, or as the caller says", () => {
  const inferred = compileCore({ type: "object", properties: { a: { type: "number" } }, required: ["a"] });
  expectTypeOf(inferred.parse({ a: 1 })).toEqualTypeOf<{ a: number }>();
  const asserted = compileCore<string>({ type: "string" });
  expectTypeOf(asserted.parse("text")).toEqualTypeOf<string>();
});
