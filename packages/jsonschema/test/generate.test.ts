import { samples } from "@tenon/samples";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGenerator, seededRandom, type JSONSchema } from "../src/generate.ts";
import { compile } from "../src/index.ts";
import { pairs } from "./support/pairs.ts";

const ordinary: Readonly<Record<string, JSONSchema>> = {
  "an order": {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      items: { type: "array", items: { $ref: "#/$defs/item" }, minItems: 1, uniqueItems: true },
      note: { type: ["string", "null"], maxLength: 10 },
      status: { enum: ["open", "paid"] },
      placed: { type: "string", format: "date-time" },
    },
    required: ["id", "items", "status"],
    additionalProperties: false,
    $defs: {
      item: {
        type: "object",
        properties: {
          sku: { type: "string", pattern: "^[A-Z]{3}-\\d{2,4}$" },
          count: { type: "integer", minimum: 1, maximum: 99 },
          price: { type: "number", exclusiveMinimum: 0, multipleOf: 0.25 },
        },
        required: ["sku", "count", "price"],
      },
    },
  },
  "a tree": {
    type: "object",
    properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#" } } },
    required: ["value"],
  },
  "a union with a discriminator": {
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "circle" }, radius: { type: "number", minimum: 0 } },
        required: ["kind", "radius"],
      },
      {
        type: "object",
        properties: { kind: { const: "square" }, side: { type: "number", minimum: 0 } },
        required: ["kind", "side"],
      },
    ],
  },
  "a schema in parts": {
    allOf: [
      { type: "object", properties: { a: { type: "integer", minimum: 3 } }, required: ["a"] },
      { properties: { a: { maximum: 7 } } },
    ],
    unevaluatedProperties: false,
  },
  "a tuple": {
    type: "array",
    prefixItems: [{ type: "string" }, { type: "boolean" }],
    items: false,
    minItems: 2,
  },
  "a list that contains": { type: "array", contains: { const: "here" }, minContains: 2, maxItems: 5 },
  "a condition": {
    type: "object",
    properties: { country: { enum: ["US", "NL"] }, zip: { type: "string" } },
    required: ["country", "zip"],
    if: { properties: { country: { const: "US" } } },
    then: { properties: { zip: { pattern: "^\\d{5}$" } } },
    else: { properties: { zip: { pattern: "^\\d{4} [A-Z]{2}$" } } },
  },
  "members by pattern": {
    type: "object",
    patternProperties: { "^x-[a-z]+$": { type: "integer" } },
    additionalProperties: false,
    minProperties: 2,
  },
  dependents: {
    type: "object",
    properties: { card: { type: "string" }, address: { type: "string" } },
    dependentRequired: { card: ["address"] },
    dependentSchemas: { address: { properties: { floor: { type: "integer" } }, required: ["floor"] } },
  },
};

describe.each(Object.entries(ordinary))("values for %s", (_, schema) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object);

  it("conform, also by another validator, and differ from each other", () => {
    const generator = createGenerator(schema, { random: seededRandom(7) });
    const texts = Array.from({ length: 40 }, () => {
      const [value] = generator.valid();
      expect(ajv(value), JSON.stringify(value)).toBe(true);
      return JSON.stringify(value);
    });
    expect(new Set(texts).size).toBeGreaterThan(3);
  });

  it("have near misses that do not conform, also by another validator", () => {
    const generator = createGenerator(schema, { random: seededRandom(8) });
    const misses = Array.from({ length: 5 }, () => generator.nearMisses()).flat();
    expect(misses.length).toBeGreaterThan(10);
    for (const { value, at, keyword } of misses) {
      expect(ajv(value), `${keyword} at ${at}: ${JSON.stringify(value)?.slice(0, 200)}`).toBe(false);
    }
  });
});

it("gives the same values for the same seed", () => {
  const valuesOf = (seed: number): unknown[] => {
    const generator = createGenerator(ordinary["an order"] as JSONSchema, { random: seededRandom(seed) });
    return Array.from({ length: 5 }, () => generator.valid());
  };
  expect(valuesOf(3)).toEqual(valuesOf(3));
  expect(valuesOf(3)).not.toEqual(valuesOf(4));
});

it("keeps every format of the specification", () => {
  const formats = [
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
  ];
  const texts = [
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
  ];
  for (const format of [...formats, ...texts]) {
    const generator = createGenerator({ type: "string", format });
    const { is } = compile({ type: "string", format }, { formats: "assert" });
    for (let count = 0; count < 10; count++) {
      expect(is(generator.valid()[0]), format).toBe(true);
    }
  }
});

it("finds a value for nearly every schema that allows one", () => {
  let possible = 0;
  let found = 0;
  fc.assert(
    fc.property(pairs, ([schema, instances]) => {
      const { is } = compile(schema);
      const [value] = createGenerator(schema, { maxDepth: 3 }).valid();
      expect(value === undefined || is(value)).toBe(true);
      if (instances.some((instance) => is(instance))) {
        possible++;
        found += value === undefined ? 0 : 1;
      }
    }),
    { numRuns: samples(300), endOnFailure: true },
  );
  expect(found / possible).toBeGreaterThan(0.97);
});

it("gives nothing for a schema that allows nothing", () => {
  expect(createGenerator(false).valid()).toEqual([]);
  expect(createGenerator({ allOf: [{ const: 1 }, { const: 2 }] }).valid()).toEqual([]);
  expect(createGenerator({ not: {} }).nearMisses()).toEqual([]);
});

it("ends for schemas that contain themselves without end", () => {
  const endless = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] } as const;
  expect(createGenerator(endless).valid()).toEqual([]);
});

it("refuses an option that does not exist", () => {
  // @ts-expect-error -- the misuse under test
  expect(() => createGenerator({}, { maxDept: 1 })).toThrow("Did you mean maxDepth?");
});
