import { Validator as CfValidator, type Schema } from "@cfworker/json-schema";
import { samples } from "@tenon/samples";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { compile } from "../src/index.ts";
import { pairs } from "./support/pairs.ts";

test("closures, generated code, the error walker and the full output agree on ten pairs for each schema", () => {
  let valid = 0;
  fc.assert(
    fc.property(pairs, ([schema, instances]) => {
      const closures = compile(schema, { engine: "closures" });
      const codegen = compile(schema, { engine: "codegen" });
      const untrusted = compile(schema, { untrusted: true });
      for (const value of instances) {
        const expected = closures.is(value);
        const errors = closures.check(value);
        if (expected) {
          valid++;
        }
        expect([
          codegen.is(value),
          untrusted.is(value),
          errors.valid || errors.errors.length === 0,
          closures.output(value, "basic").valid,
        ]).toEqual([expected, expected, expected, expected]);
        expect(codegen.check(value)).toEqual(errors);
      }
    }),
    { numRuns: samples(10_000), endOnFailure: true },
  );
  // Both answers must be common, or the agreement would mean little.
  expect(valid).toBeGreaterThan(samples(20_000));
  expect(valid).toBeLessThan(samples(80_000));
});

test("a sample agrees with ajv and cfworker where those are known to be right", () => {
  const disagreements: unknown[] = [];
  let compared = 0;
  fc.assert(
    fc.property(pairs, (pair) => {
      // Both read inherited members as present, mistake a property for the prototype, and differ
      // from the specification on unevaluated keywords.
      const text = JSON.stringify(pair).replaceAll("toString", "d").replaceAll("__proto__", "e");
      if (text.includes("unevaluated")) {
        return;
      }
      const [schema, instances] = JSON.parse(text) as typeof pair;
      const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
      const peers = [
        (value: unknown) => new CfValidator(schema as Schema, "2020-12").validate(value).valid,
        ajv.compile(schema as object),
      ];
      const own = compile(schema);
      for (const value of instances) {
        const answers = peers.map((peer) => opinion(peer, value));
        // Where the two differ from each other, at least one of them is wrong.
        if (answers[0] === undefined || answers[0] !== answers[1]) {
          continue;
        }
        compared++;
        if (answers[0] !== own.is(value)) {
          disagreements.push([schema, value, answers[0]]);
        }
      }
    }),
    { numRuns: samples(1_000) },
  );
  expect(disagreements, "leave out keywords that the peers do not know, as unevaluated above").toEqual([]);
  expect(compared).toBeGreaterThan(1_000);
});

/**
 * What a peer says; `undefined` where its own generated code fails, as ajv's does on some schemas
 * with `if: false`.
 */
function opinion(peer: (value: unknown) => boolean, value: unknown): boolean | undefined {
  try {
    return peer(value);
  } catch {
    return undefined;
  }
}
