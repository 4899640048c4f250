import { expect, test } from "vitest";

import type { Case } from "../src/suites/jsonschema/case.ts";
import { argumentCases } from "../src/suites/jsonschema/cases/arguments.ts";
import { mcpCases } from "../src/suites/jsonschema/cases/mcp.ts";
import { unionCases } from "../src/suites/jsonschema/cases/unions.ts";
import type { Engine } from "../src/suites/jsonschema/engine.ts";
import { baseline } from "../src/suites/jsonschema/engines.ts";
import { qualify } from "../src/suites/jsonschema/qualify.ts";

const cases: readonly Case[] = [...argumentCases, ...unionCases];

test("there are thirteen cases with different names, each with valid and invalid instances", () => {
  expect(cases).toHaveLength(13);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(13);
  expect(cases.every(({ valid, invalid }) => valid.length >= 2 && invalid.length >= 2)).toBe(true);
});

test.each(cases.map((one) => [one.name, one] as const))(
  "the baseline answers right in case %s",
  async (_name, one) => {
    expect(await qualify(baseline, one)).toBeTypeOf("object");
  },
);

test.skipIf(mcpCases()[0] === undefined)(
  "the baseline answers right with the MCP schema (needs TENON_SHARED)",
  async () => {
    const one = mcpCases()[0];
    expect(one && (await qualify(baseline, one))).toBeTypeOf("object");
  },
);

test("an engine with a wrong answer is excluded, and the note says where", async () => {
  const [one] = cases;
  const yes: Engine = { name: "yes", compile: () => () => true, compileErrors: () => () => 0 };
  const broken: Engine = {
    ...yes,
    name: "broken",
    compile: () => {
      throw new Error("cannot compile");
    },
  };
  expect(one && (await qualify(yes, one))).toBe(
    'yes: excluded from "flat": invalid instance 0 is taken for the opposite',
  );
  expect(one && (await qualify(broken, one))).toBe('broken: excluded from "flat": cannot compile');
});
