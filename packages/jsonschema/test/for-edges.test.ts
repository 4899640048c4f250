import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";

import {
  array,
  bytes,
  compile,
  date,
  encodeInstance,
  For,
  integer,
  isValidationError,
  map,
  Model,
  object,
  oneOf,
  optional,
  prop,
  resolveSchema,
  revive,
  schema,
  string,
  union,
  url,
  type ModelClass,
} from "../src/index.ts";

test("properties may have the names that every object inherits", () => {
  class Race extends Model({
    constructor: string(),
    toString: optional(string()),
    valueOf: integer({ default: 3 }),
  }) {}
  expect(For(Race)).toEqual({
    type: "object",
    properties: {
      constructor: { type: "string" },
      toString: { type: "string" },
      valueOf: { type: "integer", default: 3 },
    },
    required: ["constructor"],
    additionalProperties: false,
  });
  expect(encodeInstance(Race, { constructor: "Ferrari" })).toEqual({ constructor: "Ferrari" });
  expect(encodeInstance(Race, {})).toEqual({});
  const checked = resolveSchema(Race).check({ constructor: "Ferrari" });
  expect(checked).toMatchObject({ valid: true, value: { constructor: "Ferrari", valueOf: 3 } });
});

test("two properties with one name on the wire are refused", () => {
  class Twice extends Model({ a: string({ name: "b" }), b: string() }) {}
  expect(() => For(Twice)).toThrow('class Twice describes "b" twice');
  class Decorated {
    @string({ name: "to" }) from!: string;
    @string() to!: string;
  }
  expect(() => For(Decorated)).toThrow('describes "to" twice');
});

test("a member that is not described never takes the place of a renamed field", () => {
  class Open extends Model(
    { at: date({ name: "start_at", optional: true }) },
    { additionalProperties: true },
  ) {}
  const revived = revive(Open, { at: "not a date", other: 1 });
  expect(revived.at).toBeUndefined();
  expect(revived).toMatchObject({ other: 1 });
  const at = new Date(0);
  expect(encodeInstance(Open, { at, start_at: "not a date" })).toEqual({ start_at: at.toISOString() });
});

test("members that are undefined are absent, so the field keeps its initial value", () => {
  class Page {
    @integer() size = 20;
  }
  expect(revive(Page, { size: undefined }).size).toBe(20);
});

test("typeSchemas may say that a class is anything or nothing, the root too", () => {
  class Place {
    @string() city!: string;
  }
  expect(For(Place, { typeSchemas: new Map([[Place, true]]) })).toEqual({});
  expect(For(Place, { typeSchemas: new Map([[Place, false]]) })).toEqual({ not: {} });
});

test("instances of a Model do not share a mutable default", () => {
  class Defaults extends Model({
    at: date({ default: new Date(0) }),
    data: bytes({ default: new Uint8Array([1]) }),
    home: url({ default: new URL("https://example.test/") }),
  }) {}
  const first = new Defaults();
  first.at.setTime(1);
  first.data[0] = 2;
  first.home.pathname = "/changed";
  expect(new Defaults()).toEqual({
    at: new Date(0),
    data: new Uint8Array([1]),
    home: new URL("https://example.test/"),
  });
});

class Event extends Model({ kind: oneOf(["event"]), at: date() }) {}
class Note extends Model({ kind: oneOf(["note"]), at: string() }) {}
class Log extends Model({ entry: union([Event, Note]) }) {}

test("a plain object in a union is encoded by the class that describes it", () => {
  const { check } = resolveSchema(Log, { direction: "output" });
  expect(check({ entry: { kind: "event", at: new Date(0) } })).toEqual({
    valid: true,
    value: { entry: { kind: "event", at: "1970-01-01T00:00:00.000Z" } },
  });
  expect(check({ entry: { kind: "note", at: "later" } })).toMatchObject({ valid: true });
});

test("in a union an instance is encoded by the most derived class that it is of", () => {
  class Shape {
    @string() name!: string;
  }
  class Circle extends Shape {
    @integer() radius!: number;
  }
  class Drawing {
    @union([Shape, Circle]) shape!: Shape | Circle;
  }
  const circle = Object.assign(new Circle(), { name: "c", radius: 2 });
  expect(encodeInstance(Drawing, { shape: circle })).toEqual({ shape: { name: "c", radius: 2 } });
});

test("a union is revived by the first branch that takes the value with all its texts", () => {
  class Either {
    @union([array(date()), array(string())]) value!: Date[] | string[];
  }
  expect(revive(Either, { value: ["hello"] }).value).toEqual(["hello"]);
  expect(revive(Either, { value: ["1970-01-01T00:00:00Z"] }).value).toEqual([new Date(0)]);
  class Texts {
    @array(union([date(), url()])) values!: (Date | URL)[];
  }
  try {
    revive(Texts, { values: ["x", "x"] });
    expect.unreachable();
  } catch (error) {
    const places = isValidationError(error) ? error.errors.map((issue) => issue.instanceLocation) : error;
    expect(places).toEqual(["/values/0", "/values/1"]);
  }
  class Strict {
    @union([array(date()), map(date())]) value!: Date[] | Record<string, Date>;
  }
  try {
    revive(Strict, { value: ["hello"] });
    expect.unreachable();
  } catch (error) {
    expect(isValidationError(error) && error.errors[0]?.instanceLocation).toBe("/value/0");
  }
});

test("nested unions that no text fits are given up without trying every combination", () => {
  interface Chain {
    next?: Chain | Other;
    at?: Date;
  }
  interface Other {
    next?: Chain | Other;
    at?: Date;
  }
  const Chain: ModelClass<Chain> = Model({
    next: union([(): ModelClass<Chain> => Chain, (): ModelClass<Other> => Other], { optional: true }),
    at: date({ optional: true }),
  });
  const Other: ModelClass<Other> = Model({
    next: union([(): ModelClass<Chain> => Chain, (): ModelClass<Other> => Other], { optional: true }),
    at: date({ optional: true }),
  });
  let value: object = { at: "never" };
  for (let i = 0; i < 60; i++) {
    value = { next: value };
  }
  expect(() => revive(Chain, value)).toThrow("RFC 3339");
});

test("a value that contains itself is refused, however many ways lead around", () => {
  interface Knot {
    left?: Knot;
    right?: Knot;
  }
  const Knot: ModelClass<Knot> = Model({
    left: object((): ModelClass<Knot> => Knot, { optional: true }),
    right: object((): ModelClass<Knot> => Knot, { optional: true }),
  });
  const knot = new Knot();
  knot.left = knot;
  knot.right = knot;
  expect(resolveSchema(Knot, { direction: "output" }).check(knot)).toMatchObject({
    valid: false,
    errors: [{ keyword: "limit" }],
  });
  const shared = new Knot();
  expect(encodeInstance(Knot, { left: shared, right: shared })).toEqual({ left: {}, right: {} });
});

test("a date is what RFC 3339 calls one, in both directions", () => {
  class Moment {
    @date() at!: Date;
  }
  for (const at of ["2026-01-31T24:00:00Z", "2026-01-31T12:34:60Z", "2026-01-31T12:00:00+24:00"]) {
    expect(() => revive(Moment, { at })).toThrow("RFC 3339");
  }
  expect(revive(Moment, { at: "0000-02-29T00:00:00Z" }).at.getUTCDate()).toBe(29);
  // There is no four-digit year to write it with.
  const far = new Date(253_402_300_800_000);
  expect(encodeInstance(Moment, { at: far })).toEqual({ at: far });
});

test("the format of a text follows from its kind, so another one does not compile", () => {
  // @ts-expect-error -- a `Date` is a date-time: with `format: "date"` no value would fit
  expect(date({ format: "date" })).toBeDefined();
  expect(bytes({ maxLength: 8, contentMediaType: "image/png" })).toBeDefined();
});

test("what a library's schema of a field finds is reported where it is", () => {
  const even = z.object({ "a/b": z.array(z.number().refine((n) => n % 2 === 0, "must be even")) });
  class Numbers {
    @prop(even) numbers!: z.infer<typeof even>;
  }
  const checked = resolveSchema(Numbers).check({ numbers: { "a/b": [2, 3] } });
  expect(checked).toMatchObject({
    valid: false,
    errors: [{ instanceLocation: "/numbers/a~1b/1", message: "must be even" }],
  });
});

test("what prop says of a kind wins over what the kind says", () => {
  class Search extends Model({
    query: prop("What to look for", string("Some text", { minLength: 1 })),
    plain: prop(string("Some text")),
  }) {}
  expect(For(Search).properties).toEqual({
    query: { type: "string", description: "What to look for", minLength: 1 },
    plain: { type: "string", description: "Some text" },
  });
});

test("a model may have no properties: a tool that takes nothing", () => {
  class Nothing extends Model({}) {}
  expect(For(Nothing)).toEqual({ type: "object", properties: {}, additionalProperties: false });
  const { check } = resolveSchema(Nothing);
  expect([check({}), check({ a: 1 })]).toMatchObject([
    { valid: true, value: new Nothing() },
    { valid: false },
  ]);
});

test("megabytes of base64 are decoded", () => {
  class Blob {
    @bytes() data!: Uint8Array;
  }
  expect(revive(Blob, { data: "QUJD".repeat(3_000_000) }).data).toHaveLength(9_000_000);
  expect(() => revive(Blob, { data: `${"QUJD".repeat(10)}=` })).toThrow("base64");
  expect(
    compile({ contentEncoding: "base64" }, { draft: "draft-07", formats: "assert" }).is("QUJD".repeat(3e6)),
  ).toBe(true);
});

test("what is said of a base class is not said of a class that extends it", () => {
  @schema("A place", { additionalProperties: true })
  class Place {
    @string() city!: string;
  }
  class Home extends Place {
    @string() street!: string;
  }
  expect(For(Home)).toMatchObject({ additionalProperties: false });
  expect(For(Home)).not.toHaveProperty("description");
});

test("whatever a class with renamed, optional and nested fields holds survives the wire", () => {
  class Inner extends Model({
    when: date({ name: "at" }),
    at: optional(string({ name: "when" })),
  }) {}
  class Outer extends Model({
    inner: object(Inner, { nullable: true }),
    list: array(Inner, { name: "items" }),
    items: map(Inner, { name: "list", optional: true }),
    either: union([Inner, bytes(), integer()]),
    __: integer({ default: 1 }),
  }) {}
  const name = fc.constantFrom("a", "__proto__", "constructor", "toString", "");
  const inner = fc
    .record(
      { when: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), at: fc.string() },
      { requiredKeys: ["when"] },
    )
    .map((members) => Object.assign(new Inner(), members));
  const outer = fc
    .record(
      {
        inner: fc.option(inner),
        list: fc.array(inner, { maxLength: 2 }),
        items: fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true }),
        either: fc.oneof(inner, fc.uint8Array({ maxLength: 4 }), fc.integer()),
        __: fc.integer(),
      },
      { requiredKeys: ["inner", "list", "either"] },
    )
    .map((members) => Object.assign(new Outer(), members));
  const wire = resolveSchema(Outer, { direction: "output" });
  const back = resolveSchema(Outer);
  fc.assert(
    fc.property(outer, (value) => {
      const sent = wire.check(value);
      expect(sent).toMatchObject({ valid: true });
      const text = JSON.stringify((sent as { readonly value: unknown }).value);
      expect(back.check(JSON.parse(text))).toEqual({ valid: true, value });
    }),
    { numRuns: samples(300) },
  );
});
