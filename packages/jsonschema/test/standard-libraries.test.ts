import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import TypeBox from "typebox";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";

import { resolveSchema as resolveWithCore } from "../src/core.ts";
import {
  array,
  compile,
  createResolver,
  date,
  integer,
  Model,
  resolveSchema,
  string,
  type CheckResult,
  type InputOf,
  type OutputOf,
  type Source,
} from "../src/index.ts";

// The same input written in every way there is, with the real libraries.

class Decorated {
  @string() query!: string;
  @integer() limit = 20;
}
class Modelled extends Model({ query: string(), limit: integer({ default: 20 }) }) {}
const literal = {
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "integer", default: 20 } },
  required: ["query"],
  additionalProperties: false,
} as const;
const zod = z.object({ query: z.string(), limit: z.number().int().default(20) });
const valibot = toStandardJsonSchema(
  v.object({ query: v.string(), limit: v.optional(v.pipe(v.number(), v.integer()), 20) }),
);
const arktype = type({ query: "string", limit: "number.integer = 20" });
const typebox = TypeBox.Object({
  query: TypeBox.String(),
  limit: TypeBox.Optional(TypeBox.Integer({ default: 20 })),
});
const validator = compile(literal);

const ways: Record<string, Source> = {
  "a decorated class": Decorated,
  "a function that returns a class": () => Decorated,
  "a model": Modelled,
  "a literal": literal,
  "zod 4": zod,
  valibot,
  ArkType: arktype,
  TypeBox: typebox,
  "a compiled validator": validator,
};

const cases = Object.entries(ways).flatMap(([name, source]) => [
  [name, "the whole package", source, resolveSchema] as const,
  [name, "the core", source, resolveWithCore] as const,
]);

describe.each(cases)("%s, resolved by %s,", (_name, _by, source, resolveSchema) => {
  test("gives its JSON Schema", () => {
    const { jsonSchema } = resolveSchema(source);
    expect(jsonSchema).toMatchObject({
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query"],
    });
    expect(compile(jsonSchema).is({ query: "x" })).toBe(true);
    expect(compile(jsonSchema).is({ query: 1 })).toBe(false);
  });

  test("accepts a value and applies defaults", async () => {
    const result = await resolveSchema(source).check({ query: "x" });
    expect(result).toEqual({ valid: true, value: { query: "x", limit: 20 } });
  });

  test("refuses a value and says where", async () => {
    const result = await resolveSchema(source).check({ query: "x", limit: "many" });
    expect(result.valid).toBe(false);
    expect(result.valid ? [] : result.errors.map((error) => error.instanceLocation)).toEqual(["/limit"]);
    expect(result.valid ? "" : result.errors[0]?.message).not.toBe("");
  });

  test("is made once", () => {
    expect(resolveSchema(source)).toBe(resolveSchema(source));
    expect(resolveSchema(source)).not.toBe(resolveSchema(source, { direction: "output" }));
  });
});

test("each way has exact types for both sides", () => {
  interface Given {
    query: string;
    limit?: number;
  }
  interface Had {
    query: string;
    limit: number;
  }
  expectTypeOf<OutputOf<typeof Decorated>>().toEqualTypeOf<Decorated>();
  expectTypeOf<InputOf<typeof Decorated>>().toEqualTypeOf<Had>();
  expectTypeOf<OutputOf<() => typeof Decorated>>().toEqualTypeOf<Decorated>();
  expectTypeOf<OutputOf<typeof Modelled>>().toEqualTypeOf<Modelled>();
  expectTypeOf<OutputOf<typeof literal>>().toEqualTypeOf<Had>();
  expectTypeOf<InputOf<typeof literal>>().toEqualTypeOf<Given>();
  expectTypeOf<OutputOf<typeof zod>>().toEqualTypeOf<Had>();
  expectTypeOf<InputOf<typeof zod>>().toExtend<{ query: string; limit?: number | undefined }>();
  expectTypeOf<OutputOf<typeof valibot>>().toEqualTypeOf<Had>();
  expectTypeOf<OutputOf<typeof arktype>>().toEqualTypeOf<Had>();
  expectTypeOf<InputOf<typeof arktype>>().toEqualTypeOf<Given>();
  expectTypeOf<OutputOf<typeof typebox>["query"]>().toBeString();
  expectTypeOf<OutputOf<typeof typebox>["limit"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<OutputOf<typeof validator>>().toEqualTypeOf<Had>();
  expectTypeOf<InputOf<typeof validator>>().toEqualTypeOf<Given>();
  expectTypeOf(resolveSchema({ type: "array", items: { type: "string" } }).check([])).toEqualTypeOf<
    CheckResult<string[]> | Promise<CheckResult<string[]>>
  >();
  class WithMethod {
    @string() a!: string;
    shout(): string {
      return this.a.toUpperCase();
    }
  }
  expectTypeOf<InputOf<typeof WithMethod>>().toEqualTypeOf<{ a: string }>();
  class WithGetter {
    @string() a!: string;
    @string() readonly b!: string;
    get both(): string {
      return this.a + this.b;
    }
  }
  expectTypeOf<{ a: string }>().toExtend<InputOf<typeof WithGetter>>();
  expectTypeOf<{ a: string; b: string }>().toExtend<InputOf<typeof WithGetter>>();
  expectTypeOf<WithGetter>().toExtend<InputOf<typeof WithGetter>>();
  expectTypeOf<{ b: string }>().not.toExtend<InputOf<typeof WithGetter>>();
});

test("a class reaches the handler as an instance (S-125, S-135)", async () => {
  for (const resolve of [resolveSchema, resolveWithCore]) {
    const result = await resolve(Decorated).check({ query: "x" });
    expect(result.valid && result.value).toBeInstanceOf(Decorated);
  }
  class At {
    @date() at!: Date;
  }
  const wrong = await resolveSchema(At).check({ at: "soon" });
  expect(wrong).toMatchObject({ valid: false, errors: [{ instanceLocation: "/at", keyword: "format" }] });
});

test("outputs are encoded, checked and become JSON (S-136)", async () => {
  class Report {
    @date() at!: Date;
    @array(string(), { name: "top_lines" }) lines: string[] = [];
  }
  const output = resolveSchema(Report, { direction: "output" });
  expect(await output.check({ at: new Date(0), lines: ["a"] })).toEqual({
    valid: true,
    value: { at: "1970-01-01T00:00:00.000Z", top_lines: ["a"] },
  });
  expect(await output.check(Object.assign(new Report(), { at: new Date(0) }))).toMatchObject({ valid: true });
  expect(await output.check({ at: 5 })).toMatchObject({
    valid: false,
    errors: [{ instanceLocation: "/at" }],
  });
  expect(await output.check({ at: new Date(0), lines: [], extra: 1 })).toMatchObject({ valid: false });

  const list = resolveSchema(array(Report), { direction: "output" });
  expect(list.jsonSchema).toMatchObject({ type: "array", items: { required: ["at"] } });
  expect(await list.check([{ at: new Date(0) }])).toMatchObject({ valid: true });

  const zodOutput = resolveSchema(zod, { direction: "output" });
  expect(zodOutput.jsonSchema).toMatchObject({ required: ["query", "limit"] });
  expect(await zodOutput.check({ query: "x" })).toEqual({ valid: true, value: { query: "x", limit: 20 } });

  const notJson = await resolveSchema(literal, { direction: "output" }).check({ query: () => 1 });
  expect(notJson).toMatchObject({ valid: false, errors: [{ instanceLocation: "/query", keyword: "type" }] });
});

test("a kind says what its keywords say", async () => {
  const name = resolveSchema(string("A name", { nullable: true, minLength: 1 }));
  expect(name.jsonSchema).toEqual({
    description: "A name",
    anyOf: [{ type: "string", minLength: 1 }, { type: "null" }],
  });
  expect(await name.check(null)).toEqual({ valid: true, value: null });
  expect(await name.check("")).toMatchObject({ valid: false });
});

test("a resolver compiles with the function it is given", async () => {
  const seen: unknown[] = [];
  const resolve = createResolver((schema) => {
    seen.push(schema);
    return compile(schema, { formats: "assert" });
  });
  const email = { type: "string", format: "email" } as const;
  expect(await resolve(email).check("nobody")).toMatchObject({ valid: false });
  expect(seen).toEqual([email]);
});

test.each([resolveSchema, resolveWithCore])("a class that describes nothing is refused", (resolve) => {
  class Bare {
    x = 1;
  }
  expect(() => resolve(Bare)).toThrow("class Bare has no described fields");
  expect(() => resolve((() => 1) as never)).toThrow("the function does not return a class");
});

test("asynchronous checks of a library are awaited", async () => {
  const slow = z.object({ name: z.string().refine((name) => Promise.resolve(name !== "taken"), "is taken") });
  const resolved = resolveSchema(slow);
  expect(await resolved.check({ name: "free" })).toEqual({ valid: true, value: { name: "free" } });
  expect(await resolved.check({ name: "taken" })).toMatchObject({
    valid: false,
    errors: [{ instanceLocation: "/name", keyword: "standard", message: "is taken" }],
  });
});

test("a boolean schema becomes an object on the wire", async () => {
  expect(resolveSchema(true).jsonSchema).toEqual({});
  expect(resolveSchema(false).jsonSchema).toEqual({ not: {} });
  expect(await resolveSchema(false).check(1)).toMatchObject({ valid: false });
});

test("a literal is handed on as it is, not copied and not changed (S-126, S-130, S-140)", async () => {
  const schema = Object.freeze({ type: "object", properties: Object.freeze({ a: { default: 1 } }) } as const);
  expect(resolveSchema(schema).jsonSchema).toBe(schema);
  const value = Object.freeze({});
  expect(await resolveSchema(schema).check(value)).toEqual({ valid: true, value: { a: 1 } });
});

test("schemas that cannot describe themselves are refused with what to do", () => {
  const plain = v.object({ a: v.string() });
  expect(() => resolveSchema(plain as unknown as Source)).toThrow(/toStandardJsonSchema/);
  expect(() => resolveSchema(v.string())).toThrow(/@valibot\/to-json-schema/);
  expect(() => resolveSchema(null as unknown as Source)).toThrow(/got null/);
});

test("the error for a schema that has no JSON Schema names the field", () => {
  const refusal = (source: Source): string => {
    try {
      resolveSchema(source);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  const why = /Date cannot be represented in JSON Schema/;
  const fields: readonly [Source, string][] = [
    [z.object({ name: z.string(), from: z.date() }), "from"],
    [z.object({ stay: z.object({ nights: z.number(), from: z.date().optional() }) }), "stay.from"],
    [z.object({ days: z.array(z.date()) }), "days"],
    [z.object({ when: z.union([z.string(), z.object({ at: z.date() })]) }), "when.at"],
  ];
  for (const [source, field] of fields) {
    expect(refusal(source)).toMatch(why);
    expect(refusal(source).startsWith(`${field}: `), refusal(source)).toBe(true);
  }
  expect(refusal(z.date())).toMatch(/^Date cannot/);
  const node = z.object({
    get next() {
      return node.optional();
    },
    at: z.date(),
  });
  expect(refusal(node as never)).toMatch(/^at: /);
});
