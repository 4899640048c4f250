import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";

import {
  array,
  bigint,
  boolean,
  bytes,
  compile,
  date,
  For,
  integer,
  isSchemaError,
  map,
  Model,
  number,
  object,
  oneOf,
  prop,
  revive,
  schema,
  string,
  union,
  url,
} from "../src/index.ts";

class Place {
  @string("City name") city!: string;
  @string("ISO 3166-1 alpha-2 code", { pattern: "^[A-Z]{2}$", optional: true }) country?: string;
}

class Search {
  @string("What to look for", { minLength: 1 }) query!: string;
  @integer("How many results", { minimum: 1, maximum: 100 }) limit = 20;
  @oneOf("Effort", ["fast", "full"], { optional: true }) mode?: "fast" | "full";
  @array("Tags", string({ maxLength: 20 }), { maxItems: 5, uniqueItems: true }) tags: string[] = [];
  @object("Near", Place) near!: Place;
  @boolean() exact!: boolean;
  @number({ optional: true, name: "min_score" }) minScore?: number;
  note = "not described, so not part of the schema";
}

test("For(Class) writes a property per decorated field, in order, with every keyword (S-132, S-133, S-138, S-142)", () => {
  expect(For(Search)).toEqual({
    type: "object",
    properties: {
      query: { type: "string", description: "What to look for", minLength: 1 },
      limit: { type: "integer", description: "How many results", minimum: 1, maximum: 100, default: 20 },
      mode: { type: "string", enum: ["fast", "full"], description: "Effort" },
      tags: {
        type: "array",
        items: { type: "string", maxLength: 20 },
        description: "Tags",
        maxItems: 5,
        uniqueItems: true,
        default: [],
      },
      near: {
        type: "object",
        description: "Near",
        properties: {
          city: { type: "string", description: "City name" },
          country: { type: "string", description: "ISO 3166-1 alpha-2 code", pattern: "^[A-Z]{2}$" },
        },
        required: ["city"],
        additionalProperties: false,
      },
      exact: { type: "boolean" },
      min_score: { type: "number" },
    },
    required: ["query", "near", "exact"],
    additionalProperties: false,
  });
  expect(Object.keys(For(Search).properties ?? {})).toEqual([
    "query",
    "limit",
    "mode",
    "tags",
    "near",
    "exact",
    "min_score",
  ]);
});

test("each result of For is fresh and the caller's to change", () => {
  const first = For(Search);
  Object.assign(first.properties ?? {}, { query: true });
  expect(For(Search).properties?.["query"]).toMatchObject({ type: "string" });
  expect(For(Search)).not.toBe(For(Search));
});

test("initialisers become defaults unless they are switched off", () => {
  const without = For(Search, { defaults: false });
  expect(without.required).toEqual(["query", "limit", "tags", "near", "exact"]);
  class NeedsArguments {
    @integer() days = 3;
    other: string;
    constructor(other: string) {
      this.other = other;
    }
  }
  expect(For(NeedsArguments).required).toEqual(["days"]);
  class Explicit {
    @integer({ default: 7 }) days!: number;
    @date({ default: new Date(0) }) since!: Date;
    @object(Place) place: Place = Object.assign(new Place(), { city: "Oslo" });
  }
  expect(For(Explicit).properties).toMatchObject({
    days: { default: 7 },
    since: { default: "1970-01-01T00:00:00.000Z" },
    place: { default: { city: "Oslo" } },
  });
});

test("an initialiser that is no constant fills the field but is not published", () => {
  let counter = 0;
  class Entry {
    @string() id = `entry-${++counter}`;
    @date() at: Date = new Date();
    @integer() level = 1;
  }
  const written = For(Entry);
  expect(written).not.toHaveProperty("required");
  expect(written.properties).toEqual({
    id: { type: "string" },
    at: { type: "string", format: "date-time" },
    level: { type: "integer", default: 1 },
  });
  expect(revive(Entry, {}).at).toBeInstanceOf(Date);
});

test("fields are inherited, and overridden in place", () => {
  class Paged extends Search {
    @string("Cursor", { optional: true }) cursor?: string;
    @integer("Fewer", { maximum: 10 }) override limit = 5;
  }
  const { properties = {} } = For(Paged);
  expect(Object.keys(properties)).toEqual([...Object.keys(For(Search).properties ?? {}), "cursor"]);
  expect(properties["limit"]).toEqual({ type: "integer", description: "Fewer", maximum: 10, default: 5 });
  expect(For(Search).properties?.["limit"]).toMatchObject({ maximum: 100 });
});

class TreeNode {
  @string() value!: string;
  @array("Below", () => TreeNode, { optional: true }) children?: TreeNode[];
}

test("a recursive class refers to itself, and to $defs when it is not the root", () => {
  expect(For(TreeNode)).toEqual({
    type: "object",
    properties: {
      value: { type: "string" },
      children: { type: "array", items: { $ref: "#" }, description: "Below" },
    },
    required: ["value"],
    additionalProperties: false,
  });
  class Forest {
    @array(() => TreeNode) trees!: TreeNode[];
    @object(() => TreeNode, { nullable: true }) tallest!: TreeNode | null;
  }
  const forest = For(Forest);
  expect(forest).toMatchObject({
    properties: {
      trees: { type: "array", items: { $ref: "#/$defs/trees" } },
      tallest: { anyOf: [{ $ref: "#/$defs/trees" }, { type: "null" }] },
    },
    $defs: { trees: { properties: { children: { items: { $ref: "#/$defs/trees" } } } } },
  });
  const validator = compile(forest);
  const deep = { value: "a", children: [{ value: "b", children: [{ value: "c" }] }] };
  expect(validator.is({ trees: [deep], tallest: null })).toBe(true);
  expect(validator.is({ trees: [{ value: "a", children: [{ value: 1 }] }], tallest: null })).toBe(false);
});

test("classes that contain each other end in $defs, under the name they ask for", () => {
  @schema("A person", { name: "Person" })
  class Person {
    @string() name!: string;
    @array(() => Team) teams!: Team[];
  }
  @schema({ name: "Team" })
  class Team {
    @array(() => Person) members!: Person[];
  }
  class Company {
    @object(() => Team) board!: Team;
    @object(() => Person) chair!: Person;
  }
  const written = For(Company);
  expect(Object.keys(written.$defs ?? {})).toEqual(["Team"]);
  expect(written.$defs?.["Team"]).toMatchObject({
    properties: {
      members: {
        items: { description: "A person", properties: { teams: { items: { $ref: "#/$defs/Team" } } } },
      },
    },
  });
  expect(
    compile(written).is({
      board: { members: [{ name: "a", teams: [{ members: [] }] }] },
      chair: { name: "b", teams: [] },
    }),
  ).toBe(true);
});

test("a class used twice is written twice, or once under $defs on request; the size has a limit", () => {
  class Trip {
    @object("From", Place) from!: Place;
    @object("To", Place) to!: Place;
  }
  expect(For(Trip)).not.toHaveProperty("$defs");
  expect(For(Trip, { reused: "ref" })).toMatchObject({
    properties: { from: { $ref: "#/$defs/from", description: "From" }, to: { $ref: "#/$defs/from" } },
    $defs: { from: { required: ["city"] } },
  });
  expect(() => For(Trip, { maxClasses: 2 })).toThrow(/maxClasses/);
});

test("nullable is anyOf with null, never a list of types", () => {
  class Nullable {
    @string("Name", { nullable: true, minLength: 1 }) name!: string | null;
    @array(string(), { nullable: true, optional: true }) tags?: string[] | null;
    @array(integer({ nullable: true })) counts!: (number | null)[];
    @oneOf(["a", "b"], { nullable: true, default: null }) choice!: "a" | "b" | null;
  }
  const written = For(Nullable);
  expect(written.properties).toEqual({
    name: { description: "Name", anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] },
    tags: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
    counts: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
    choice: { default: null, anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] },
  });
  expect(JSON.stringify(written)).not.toContain('"type":[');
  expect(compile(written).is({ name: null, counts: [1, null], tags: null })).toBe(true);
});

test("every kind has its schema", () => {
  class Circle {
    @oneOf(["circle"]) kind!: "circle";
    @number({ exclusiveMinimum: 0 }) radius!: number;
  }
  class Square {
    @oneOf(["square"]) kind!: "square";
    @number() side!: number;
  }
  class Everything {
    @date("When") at!: Date;
    @url() link!: URL;
    @bytes({ contentMediaType: "image/png" }) image!: Uint8Array;
    @bigint() big!: bigint;
    @map("By name", integer(), { maxProperties: 9 }) counts!: Record<string, number>;
    @map(() => Circle) circles!: Record<string, Circle>;
    @union("Shape", [Circle, Square]) shape!: Circle | Square;
    @prop("Anything of this", { type: "array", items: { type: "string" } }) list!: string[];
    @prop(z.object({ a: z.string() })) zod!: { a: string };
    @oneOf([1, "two", null]) mixed!: 1 | "two" | null;
  }
  expect(For(Everything).properties).toMatchObject({
    at: { type: "string", format: "date-time", description: "When" },
    link: { type: "string", format: "uri" },
    image: { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
    big: { type: "string", pattern: "^-?(0|[1-9][0-9]*)$" },
    counts: { type: "object", additionalProperties: { type: "integer" }, maxProperties: 9 },
    circles: { additionalProperties: { required: ["kind", "radius"] } },
    shape: {
      description: "Shape",
      anyOf: [{ required: ["kind", "radius"] }, { required: ["kind", "side"] }],
    },
    list: { type: "array", items: { type: "string" }, description: "Anything of this" },
    zod: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    mixed: { enum: [1, "two", null] },
  });
  expect(For(Everything).properties?.["zod"]).not.toHaveProperty("$schema");
  expectTypeOf<Everything["shape"]>().toEqualTypeOf<Circle | Square>();
});

test("references inside foreign and literal schemas follow them into the document", () => {
  interface Category {
    name: string;
    sub: Category[];
  }
  const Category: z.ZodType<Category> = z.object({
    name: z.string(),
    get sub() {
      return z.array(Category);
    },
  });
  class Shop {
    @prop(Category) category!: Category;
    @prop({ $ref: "#/$defs/price", $defs: { price: { type: "number", minimum: 0 } } }) price!: number;
  }
  const written = For(Shop);
  const validator = compile(written);
  expect(validator.is({ category: { name: "a", sub: [{ name: "b", sub: [] }] }, price: 1 })).toBe(true);
  expect(validator.is({ category: { name: "a", sub: [{ name: 1, sub: [] }] }, price: 1 })).toBe(false);
  expect(validator.is({ category: { name: "a", sub: [] }, price: -1 })).toBe(false);
});

test("typeSchemas stand for classes, decorated or not (jsonschema-go ForOptions)", () => {
  class Money {
    amount = 0;
  }
  class Bill {
    @object(Money) total!: Money;
  }
  const money = { type: "string", pattern: "^\\d+\\.\\d\\d$" } as const;
  const written = For(Bill, { typeSchemas: new Map([[Money, money]]) });
  expect(written.properties?.["total"]).toEqual(money);
  expect(written.properties?.["total"]).not.toBe(money);
});

test("an open class and its own keywords", () => {
  @schema("Options", { title: "Options", additionalProperties: true, minProperties: 1, "x-vendor": 1 })
  class Options {
    @string({ optional: true, "x-order": 1 }) a?: string;
  }
  expect(For(Options)).toEqual({
    description: "Options",
    title: "Options",
    minProperties: 1,
    "x-vendor": 1,
    type: "object",
    properties: { a: { type: "string", "x-order": 1 } },
  });
});

test("misuse is refused with a typed error that says what to do", () => {
  class Undescribed {
    note = "";
  }
  const code = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return isSchemaError(error) ? error.code : error;
    }
  };
  expect(code(() => For(Undescribed))).toBe("invalid-class");
  expect(() => For(Undescribed)).toThrow(/Undescribed has no described fields/);
  expect(() => {
    class Static {
      @string() static shared: string;
      own = 1;
    }
    return Static;
  }).toThrow(/public instance fields/);
  expect(() => {
    class Private {
      @string() #secret!: string;
      read(): string {
        return this.#secret;
      }
    }
    return Private;
  }).toThrow(/public instance fields/);
  expect(() => array(undefined as unknown as typeof Place)).toThrow(/\(\) => Class/);
  expect(() =>
    prop({ "~standard": { version: 1, vendor: "old", validate: () => ({ value: 1 }) } } as never),
  ).toThrow(/no ~standard.jsonSchema/);
});

test("references of a literal are found in properties that are called like keywords, and names do not collide", () => {
  const text = (type: string): object => ({
    properties: { default: { $ref: "#/$defs/text" }, $ref: { $ref: "#/$defs/text" } },
    $defs: { text: { type } },
  });
  class Both extends Model({ a: text("string") as never, a_text: text("number") as never }) {}
  const validator = compile(For(Both));
  const is = (a: unknown, b: unknown): boolean =>
    validator.is({ a: { default: a, $ref: a }, a_text: { default: b, $ref: b } });
  expect([is("x", 1), is(1, 1), is("x", "x")]).toEqual([true, false, false]);
});
