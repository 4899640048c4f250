import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

import { compile, type JSONSchema } from "../src/index.ts";
import { randomOf, randomSchema, randomValue } from "./support/random-schemas.ts";

/** With `TENON_FUZZ_PAIRS=1000000` for a night. By default 20 values for each of 600 schemas. */
const pairs = Number(process.env["TENON_FUZZ_PAIRS"] ?? 12_000);
const seed = Number(process.env["TENON_FUZZ_SEED"] ?? 28);
const valuesEach = 20;

test(
  "closures, generated code, untrusted checks, reports and ajv agree on all keywords in all positions",
  { timeout: Math.max(600_000, 20 * pairs) },
  () => {
    const disagreements: unknown[] = [];
    const counts = { valid: 0, invalid: 0, ajv: 0 };
    for (let index = 0; index < pairs / valuesEach; index++) {
      const random = randomOf(seed * 1_000_003 + index);
      const isOdd = index % 4 === 0;
      const { schema, names } = randomSchema(random, isOdd);
      const closures = compile(schema, { engine: "closures" });
      const codegen = compile(schema, { engine: "codegen" });
      const untrusted = compile(schema, { untrusted: true });
      const peer = isOdd ? undefined : ajvOf(schema);
      for (let each = 0; each < valuesEach; each++) {
        const value = randomValue(random, names);
        const expected = closures.is(value);
        counts[expected ? "valid" : "invalid"]++;
        const answers = {
          codegen: codegen.is(value),
          untrusted: untrusted.is(value),
          report: closures.check(value).valid,
          codegenReport: codegen.check(value).valid,
          output: closures.output(value, "basic").valid,
          ajv: peer?.(value) ?? expected,
        };
        counts.ajv += peer?.(value) === undefined ? 0 : 1;
        if (Object.values(answers).some((answer) => answer !== expected)) {
          disagreements.push({ index, closures: expected, ...answers, value, schema });
        }
      }
    }
    expect(disagreements.slice(0, 3)).toEqual([]);
    // Without both verdicts and those of ajv the agreement would mean little.
    expect(Math.min(counts.valid, counts.invalid, counts.ajv)).toBeGreaterThan(pairs / 10);
  },
);

/** The verdict of ajv, unless it differs from the specification on keywords of the schema. */
function ajvOf(schema: JSONSchema): ((value: unknown) => boolean | undefined) | undefined {
  if (/unevaluated|\$dynamicRef/.test(JSON.stringify(schema)) || mixesItems(schema)) {
    return undefined;
  }
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  const check = ajv.compile(schema as object);
  return (value) => {
    try {
      return check(value);
    } catch {
      return undefined;
    }
  };
}

/** Whether `contains` stands beside `prefixItems` somewhere: ajv ignores one of them then. */
function mixesItems(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) {
    return false;
  }
  const isMixed = ["contains", "prefixItems"].every((keyword) => Object.hasOwn(schema, keyword));
  return isMixed || Object.values(schema).some(mixesItems);
}
