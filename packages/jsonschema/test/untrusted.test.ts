import { expect, test } from "vitest";

import { tryCompile as tryWhole } from "../src/index.ts";
import { explain, tryCompile } from "../src/untrusted.ts";

const whole = { untrusted: true, formats: "assert" } as const;

test("a foreign schema means the same as in the main build: formats, patterns in linear time, metaschemas", () => {
  const schema = {
    type: "object",
    properties: {
      mail: { type: "string", format: "email" },
      name: { type: "string", pattern: "^(a+)+$" },
      schema: { $ref: "https://json-schema.org/draft/2020-12/schema" },
    },
  } as const;
  const ours = tryCompile(schema, { formats: "assert" });
  const theirs = tryWhole(schema, whole);
  if (!ours.ok || !theirs.ok) {
    throw new Error("The schema is valid");
  }
  for (const value of [
    { mail: "a@b.example", name: "aaa", schema: { type: "string" } },
    { mail: "none" },
    { name: `${"a".repeat(40)}!` },
    { schema: { type: "nothing" } },
  ]) {
    const result = ours.validator.check(value);
    expect(result).toEqual(theirs.validator.check(value));
    expect(result.valid || explain(result.errors) !== "").toBe(true);
  }
});

test("a pattern that no linear matcher can take is refused, as a value", () => {
  const refused = tryCompile({ type: "string", pattern: "^(a*)\\1$" });
  expect(refused).toMatchObject({ ok: false, error: { code: "unsupported-pattern" } });
});
