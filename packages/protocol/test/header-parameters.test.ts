import { expect, test } from "vitest";

import { findHeaderParameters } from "../src/index.ts";

const region = { type: "string", "x-mcp-header": "Region" };

test("annotations on strings, integers and booleans that are reached through properties alone are found, with the way to them (R-316, R-317, R-318)", () => {
  const schema = {
    type: "object",
    properties: {
      region,
      deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "X-Count" } } },
      "x-mcp-header": { type: "boolean", "x-mcp-header": "Flag" },
    },
  };
  expect(findHeaderParameters(schema)).toEqual({
    parameters: [
      { name: "Region", path: ["region"], type: "string" },
      { name: "X-Count", path: ["deep", "count"], type: "integer" },
      { name: "Flag", path: ["x-mcp-header"], type: "boolean" },
    ],
  });
});

test.each([
  ["below items", { properties: { list: { type: "array", items: region } } }, "properties"],
  ["in an alternative", { anyOf: [{ properties: { region } }] }, "properties"],
  ["in a definition", { $defs: { region } }, "properties"],
  ["in patternProperties", { patternProperties: { "^r": region } }, "properties"],
  ["on the schema itself", { ...region }, "properties"],
  ["on a number", { properties: { n: { type: "number", "x-mcp-header": "N" } } }, 'got "number"'],
  ["on several types", { properties: { n: { type: ["string", "null"], "x-mcp-header": "N" } } }, "of type"],
  [
    "with a name that is no token",
    { properties: { n: { type: "string", "x-mcp-header": "a b" } } },
    "letters",
  ],
  ["with a name that is no text", { properties: { n: { type: "string", "x-mcp-header": 1 } } }, "letters"],
  [
    "twice, in another case",
    { properties: { region, other: { type: "string", "x-mcp-header": "REGION" } } },
    "occurs twice",
  ],
])(
  "an annotation %s keeps the schema from being used, and the problem says why (R-319)",
  (_, schema, why) => {
    const { parameters, problem } = findHeaderParameters(schema);
    expect(parameters).toBeUndefined();
    expect(problem).toContain(why);
  },
);

test.each([
  ["data", { properties: { a: { const: region, default: region, examples: [region], enum: [region] } } }],
  ["nothing", {}],
  ["no schema", null],
  ["a boolean schema", true],
])("%s has none", (_, schema) => {
  expect(findHeaderParameters(schema)).toEqual({ parameters: [] });
});

test("a schema of any depth is read without running out of stack", () => {
  let schema: object = region;
  for (let depth = 0; depth < 100_000; depth++) {
    schema = { properties: { a: schema } };
  }
  expect(findHeaderParameters(schema)).toEqual({ parameters: [] });
});
