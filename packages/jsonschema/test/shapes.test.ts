import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { compile } from "../src/index.ts";

/**
 * Schemas for which both engines have a way of their own. Its answers must be those of the
 * keywords.
 */
describe.each(["closures", "codegen"] as const)("with %s", (engine) => {
  const verdicts = (schema: object, values: readonly unknown[]): boolean[] => {
    const { is } = compile(schema, { engine });
    // Twice and backwards: what was seen before must not matter.
    const first = values.map((value) => is(value));
    expect(values.toReversed().map((value) => is(value))).toEqual(first.toReversed());
    return first;
  };

  const closed = (properties: object, required: readonly string[]): object => ({
    type: "object",
    properties,
    required,
    additionalProperties: false,
  });

  test("a property whose name is empty has its schema, wherever it is declared", () => {
    const others = { a: true, b: true, c: true };
    const values = [{ "": 7 }, { a: 1, "": 7 }, { "": 7, a: 1 }, { b: 1 }];
    for (const properties of [
      { ...others, "": false },
      { d: true, "": false, ...others },
    ]) {
      expect(verdicts({ properties }, values)).toEqual([false, false, false, true]);
      expect(verdicts({ properties, additionalProperties: false }, values)).toEqual([
        false,
        false,
        false,
        true,
      ]);
    }
    const required = { required: ["a", "b", ""], additionalProperties: { type: "number" } };
    expect(
      verdicts(required, [
        { "": 1, a: 1, b: 1 },
        { a: 1, b: 1, "": "x" },
        { a: 1, b: 1 },
      ]),
    ).toEqual([true, false, false]);
    const branches = { unevaluatedProperties: false, anyOf: [{ properties: { x: true, "": true } }, others] };
    expect(verdicts({ ...branches, properties: others }, [{ "": 1 }, { z: 1 }])).toEqual([true, false]);
  });

  test.each(["anyOf", "oneOf"])(
    "closed branches of %s are told apart by the members only they have",
    (keyword) => {
      const value = { type: "string" };
      const union = {
        [keyword]: [
          closed({ and: { type: "array" }, note: value }, ["and"]),
          closed({ "": value, note: value }, [""]),
        ],
      };
      expect(
        verdicts(union, [
          { and: [] },
          { note: "n", and: [] },
          { "": "x", note: "n" },
          { and: undefined, "": "x" },
          { and: "x" },
          { and: [], "": "x" },
          { note: "n" },
          { other: 1, and: [] },
          {},
          [],
          null,
        ]),
      ).toEqual([true, true, true, true, false, false, false, false, false, false, false]);
    },
  );

  test("a pattern of plain characters finds what the regular expression finds", () => {
    const parts = fc.stringMatching(/^[ab-]{1,3}$/);
    fc.assert(
      fc.property(
        fc.constantFrom("", "^"),
        parts,
        fc.constantFrom("", "$"),
        parts,
        parts,
        (start, text, end, a, b) => {
          const pattern = start + text + end;
          const texts = [text, a + text, text + b, a + text + b, a];
          expect(verdicts({ pattern }, texts)).toEqual(
            texts.map((one) => new RegExp(pattern, "u").test(one)),
          );
        },
      ),
      { numRuns: samples(200) },
    );
  });

  test("a map counts its members and asks their names and values, the absent ones aside", () => {
    const map = {
      type: "object",
      propertyNames: { maxLength: 2 },
      additionalProperties: { type: "integer" },
      minProperties: 1,
      maxProperties: 2,
    };
    expect(
      verdicts(map, [
        { a: 1 },
        { a: 1, b: 2, c: undefined },
        {},
        { a: undefined },
        { a: 1, b: 2, c: 3 },
        { abc: 1 },
        { a: "x" },
        [],
      ]),
    ).toEqual([true, true, false, false, false, false, false, false]);
  });

  test("the schema of names is not taken for the schema of other values", () => {
    const short = { maxLength: 2 };
    const schema = {
      $defs: { short },
      type: "object",
      propertyNames: { $ref: "#/$defs/short" },
      additionalProperties: { $ref: "#/$defs/short" },
    };
    expect(verdicts(schema, [{ a: 1 }, { a: "ab" }, { a: "abc" }, { abc: 1 }])).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("unevaluatedProperties sees what allOf requires without a look of its own", () => {
    const schema = {
      properties: { id: { type: "string" }, kind: { enum: ["a", "b"] } },
      allOf: [
        { required: ["id"] },
        { required: ["kind"], maxProperties: 3 },
        { minProperties: 2, title: "two" },
      ],
      if: { properties: { kind: { const: "a" } } },
      then: { properties: { token: { type: "string" } } },
      else: { properties: { email: { type: "string" } } },
      unevaluatedProperties: false,
    };
    const base = { id: "x", kind: "a" };
    expect(
      verdicts(schema, [
        base,
        { ...base, token: "t" },
        { ...base, email: "e" },
        { ...base, kind: "b", email: "e" },
        { ...base, token: 1 },
        { ...base, other: 1 },
        { id: "x" },
        { kind: "a", token: "t" },
        [],
      ]),
    ).toEqual([true, true, false, true, false, false, false, false, true]);
  });

  test("null, a type list and a union of types are the same for a member", () => {
    const member = (schema: object): object => ({ properties: { m: schema, n: true, o: true } });
    const values = [null, "x", 1, 1.5, true, [], {}].map((m) => ({ m, n: 1 }));
    const asUnion = verdicts(
      member({ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }),
      values,
    );
    expect(verdicts(member({ type: ["string", "integer", "null"] }), values)).toEqual(asUnion);
    expect(asUnion).toEqual([true, true, true, false, false, false, false]);
  });
});
