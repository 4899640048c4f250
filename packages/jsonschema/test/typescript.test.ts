import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { createGenerator, seededRandom } from "../src/generate.ts";
import { compile, isSchemaError } from "../src/index.ts";
import { camelCase, createTypeWriter, pascalCase, type JSONSchema } from "../src/typescript.ts";
import { pairs } from "./support/pairs.ts";
import { suiteCases, suiteIsHere, type SuiteCase } from "./support/suite.ts";
import { compileTypeScript } from "./support/tsc.ts";

/** The declarations for one schema. */
function typesOf(schema: unknown, name = "T"): string {
  const writer = createTypeWriter();
  writer.declare(name, schema as JSONSchema);
  return writer.text();
}

/** A program that compiles if each value may be assigned to the type of its schema. */
class Assignments {
  readonly #writer = createTypeWriter();
  readonly #lines: string[] = [];
  schemas = 0;
  values = 0;

  add(schema: JSONSchema, values: readonly unknown[]): void {
    const name = this.#writer.declare("T", schema);
    this.schemas++;
    for (const value of values) {
      this.values++;
      this.#lines.push(`fits<${name}>()(${JSON.stringify(value)});`);
    }
  }

  /**
   * The errors of the compiler, each with the line that it is about. Not among them is that a value
   * has no property that its type lists, which the compiler refuses by a rule of its own.
   */
  async errors(): Promise<readonly string[]> {
    // A type parameter takes further properties, as the schemas do.
    const head = "declare function fits<T>(): <V extends T>(value: V) => void;\n";
    const text = `${head}${this.#writer.text()}\n${this.#lines.join("\n")}\n`;
    const errors = (await compileTypeScript(text)).errors.filter((error) => !/TS(2353|2559)/.test(error));
    const lines = text.split("\n");
    return errors.slice(0, 10).map((error) => `${lines[Number(/\((\d+),/.exec(error)?.[1]) - 1]}\n${error}`);
  }
}

/** The cases of the suite, by schema. */
function groupBySchema(): ReadonlyMap<JSONSchema, readonly SuiteCase[]> {
  const groups = new Map<JSONSchema, SuiteCase[]>();
  for (const each of suiteCases("draft2020-12", "required")) {
    groups.set(each.schema, [...(groups.get(each.schema) ?? []), each]);
  }
  return groups;
}

test("a schema becomes a type with optional properties, literals, lists, tuples, maps and comments", () => {
  const text = typesOf(
    {
      type: "object",
      description: "An issue.",
      properties: {
        title: { type: "string", description: "One line.\nShort." },
        labels: { type: "array", items: { $ref: "#/$defs/label" } },
        state: { enum: ["open", "closed", 3, null] },
        parent: { anyOf: [{ $ref: "#" }, { type: "null" }] },
        "odd-name": { type: "integer", default: 3, deprecated: true },
        pair: {
          type: "array",
          prefixItems: [{ type: "string" }, { type: ["number", "null"] }],
          items: false,
          minItems: 1,
        },
        counts: { type: "object", additionalProperties: { type: "number" } },
        anything: {},
      },
      required: ["title", "unlisted"],
      $defs: { label: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
    },
    "create_issue input",
  );
  expect(text).toBe(`/** An issue. */
export type CreateIssueInput = {
  /**
   * One line.
   * Short.
   */
  title: string;
  labels?: CreateIssueInputLabel[];
  state?: "open" | "closed" | 3 | null;
  parent?: CreateIssueInput | null;
  /**
   * @default 3
   * @deprecated
   */
  "odd-name"?: number;
  pair?: [string, (number | null)?];
  counts?: {
    [name: string]: number;
  };
  anything?: unknown;
  unlisted: unknown;
};

export type CreateIssueInputLabel = {
  name: string;
};
`);
});

test.each([
  [true, "unknown"],
  [false, "never"],
  [{ type: "object" }, "{ [name: string]: unknown }"],
  [{ type: "array" }, "unknown[]"],
  [{ type: ["string", "null"], enum: ["a", null, 3] }, '"a" | null'],
  [{ type: "string", anyOf: [{ const: "a" }, { const: "b" }] }, '"a" | "b"'],
  [{ const: { a: [1, "x"] } }, '{ a: [1, "x"] }'],
  [{ properties: { a: { type: "string" } } }, "unknown"],
  [{ type: "object", additionalProperties: false }, "{\n  [name: string]: never;\n}"],
  [
    {
      type: "object",
      oneOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { required: ["b"] }],
    },
    "{\n  a: string;\n} | {\n  b: unknown;\n}",
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
    "{\n  a?: string;\n  [name: string]: string | undefined | number;\n}",
  ],
  [
    { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: { type: "number" } },
    "{\n  a?: number;\n  b?: number;\n}",
  ],
  [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
])("the type of %j", (schema, type) => {
  expect(typesOf(schema)).toBe(`export type T = ${type};\n`);
});

test("an enum of more than 1000 values is written by the type of its values", () => {
  const values = Array.from({ length: 1001 }, (_, index) => String(index));
  expect(typesOf({ type: "string", enum: values })).toBe("export type T = string;\n");
});

test("types of different schemas have different names, and no name of another declaration", () => {
  const writer = createTypeWriter({ reserved: ["GetInput"] });
  const schema = { $ref: "#/$defs/x", $defs: { x: { type: "object", required: ["a"] } } } as const;
  const names = ["get input", "get.input", "日本", "1st", "class"].map((name) =>
    writer.declare(name, schema),
  );
  expect(names).toEqual(["GetInput2", "GetInput3", "Type", "Type1st", "Class"]);
  expect([...writer.text().matchAll(/export type (\w+)/g)].map(([, name]) => name)).toEqual([
    ...["GetInput2", "GetInput2X", "GetInput3", "GetInput3X", "Type", "TypeX"],
    ...["Type1st", "Type1stX", "Class", "ClassX"],
  ]);
  expect([pascalCase("get-user_by.id"), camelCase("GetUser"), camelCase("URL")]).toEqual([
    "GetUserById",
    "getUser",
    "url",
  ]);
});

test("what an author writes ends neither a comment nor a string, and hides nothing", async () => {
  const evil = '*/ export const x = 1; /* "`${1}\n\u2028\u202e\u200b\\';
  const schema = {
    type: "object",
    description: evil,
    properties: {
      [evil]: { description: evil, const: evil, default: evil },
      a: { enum: [{ [evil]: evil }] },
    },
    $defs: { [evil]: { type: "object", properties: { b: { type: "string" } } } },
    patternProperties: { x: { $ref: `#/$defs/${encodeURIComponent(evil.replaceAll("/", "~1"))}` } },
    additionalProperties: false,
  };
  const text = typesOf(schema, evil);
  expect(text).not.toMatch(/[^\n\u0020-\u007e]/);
  expect((await compileTypeScript(text)).errors).toEqual([]);
  expect(text.match(/^export/gm)).toHaveLength(2);
  expect(text).not.toMatch(/^\s*export const/m);
});

test("types that are deep, recursive or too long have names, or are refused", async () => {
  const deep = Array.from({ length: 60 }).reduce<object>(
    (inner) => ({ type: "object", properties: { in: inner }, required: ["in"] }),
    { type: "string" },
  );
  const nested = Array.from({ length: 60 }).reduce<object>(
    (inner) => ({ anyOf: [inner, { type: "null" }] }),
    {
      type: "object",
      properties: { next: { $ref: "#" } },
    },
  );
  for (const schema of [deep, nested]) {
    const text = typesOf(schema);
    expect(Math.max(...text.split("\n").map((line) => line.search(/\S|$/)))).toBeLessThan(40);
    expect((await compileTypeScript(text)).errors).toEqual([]);
  }
  const writer = createTypeWriter({ maxLength: 100 });
  const wide = { type: "object", properties: { ["a".repeat(100)]: {} } } as const;
  const refused = (): unknown => writer.declare("T", wide);
  expect(refused).toThrow("longer than 100 characters (maxLength)");
  expect(() => createTypeWriter({ length: 1 } as object)).toThrow("length");
});

test("every value that a generated schema allows is assignable to its type", async () => {
  const program = new Assignments();
  fc.assert(
    fc.property(pairs, (pair) => {
      // Every object of TypeScript has a method of this name.
      const text = JSON.stringify(pair).replaceAll("toString", "d");
      const [schema, instances] = JSON.parse(text) as typeof pair;
      const validator = compile(schema, { untrusted: true });
      program.add(
        schema,
        instances.filter((value) => validator.is(value)),
      );
    }),
    { numRuns: samples(1500) },
  );
  expect(await program.errors()).toEqual([]);
  expect(program.values).toBeGreaterThan(samples(3000));
});

test.skipIf(!suiteIsHere)(
  "every value that a schema of the JSON Schema Test Suite allows is assignable to its type",
  async () => {
    const program = new Assignments();
    const groups = groupBySchema();
    for (const [schema, cases] of groups) {
      const values = cases.filter(({ valid }) => valid).map(({ data }) => data);
      try {
        const generated = createGenerator(schema, { random: seededRandom(5) });
        values.push(...Array.from({ length: 3 }, () => generated.valid()).flat());
        program.add(schema, values);
      } catch (error) {
        // Documents of other hosts are not fetched.
        expect(isSchemaError(error) && error.code, JSON.stringify(schema)).toMatch(/^un(resolved|supported)/);
      }
    }
    expect(await program.errors()).toEqual([]);
    expect(program.schemas).toBeGreaterThan(300);
  },
);
