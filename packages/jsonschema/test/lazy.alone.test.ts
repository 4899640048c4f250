import { expect, test, vi } from "vitest";

// The compiler is loaded once for all test files, and here it must not have been.
vi.resetModules();
const { compile, resolveSchema } = await import("../src/lazy.ts");
const { compile: compileAtOnce, explain, resolveSchema: resolveAtOnce } = await import("../src/core.ts");
const { number, string } = await import("../src/index.ts");

const schema = {
  type: "object",
  properties: { name: { type: "string", minLength: 2 }, size: { type: "integer", default: 1 } },
  required: ["name"],
} as const;

class Box {
  @string() name!: string;
  @number({ minimum: 0 }) size!: number;
}

// Before any other test makes the compiler be loaded.
test("what only the compiler finds in a schema is thrown by load, and at once when the compiler is there", async () => {
  const external = { $ref: "https://example.test/other" };
  const first = resolveSchema(external);
  await expect(first.load?.()).rejects.toMatchObject({ code: "unresolved-reference" });
  expect(() => resolveSchema({ ...external })).toThrow(/leads nowhere/);
});

test("a value that conforms is answered at once, with its defaults where a source is resolved", () => {
  expect(compile(schema).check({ name: "ab" })).toEqual({ valid: true, value: { name: "ab" } });
  expect(resolveSchema(schema).check({ name: "ab" })).toEqual({
    valid: true,
    value: { name: "ab", size: 1 },
  });
  expect(resolveSchema(Box).check({ name: "ab", size: 1 })).toMatchObject({ valid: true });
});

test("what is wrong with a value is said in the same words as by the core build, later if need be", async () => {
  for (const value of [{}, { name: "a" }, { name: 7, size: "x" }, [], null]) {
    const result = await compile(schema).check(value);
    expect(result).toEqual(compileAtOnce(schema).check(value));
    expect(result.valid ? "" : explain(result.errors)).not.toBe("");
    expect(await resolveSchema(schema).check(value)).toEqual(await resolveAtOnce(schema).check(value));
    expect(await resolveSchema(Box).check(value)).toEqual(await resolveAtOnce(Box).check(value));
  }
});

test("a bad schema is refused at once", () => {
  expect(() => compile({ type: "nothing" as never })).toThrow(
    expect.objectContaining({ code: "invalid-keyword" }),
  );
});
