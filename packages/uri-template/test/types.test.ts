import { expect, expectTypeOf, test } from "vitest";

import { type Value, type VariableName, type Variables, parse } from "../src/index.ts";

type Parameters = string[] | Record<string, string>;

test("the variables of a literal template are typed", () => {
  expectTypeOf<Variables<"file:///{path}{?q*}">>().toEqualTypeOf<{ path: string; q?: Parameters }>();
  expectTypeOf<Variables<"/{a,b}{/c*}{.d}{;e,f*}{#g}">>().toEqualTypeOf<{
    a: string;
    b?: string;
    c?: string[];
    d?: string;
    e?: string;
    f?: Parameters;
    g?: string;
  }>();
  expectTypeOf<Variables<"/{+a*}/{id:1}/{id}">>().toEqualTypeOf<{ a: string[]; id: string }>();
  expectTypeOf<VariableName<"/{+a*}/{id:1}/{id}{?x,y}">>().toEqualTypeOf<"a" | "id" | "x" | "y">();
  expectTypeOf<VariableName<"plain">>().toEqualTypeOf<never>();
});

test("parse infers from the literal it is given, and from string it is open", () => {
  const template = parse("notes://{id}{?part}");
  expectTypeOf(template.template).toEqualTypeOf<"notes://{id}{?part}">();
  const found = template.match("notes://7?part=2");
  expectTypeOf(found?.id).toEqualTypeOf<string | undefined>();
  expect({ ...found }).toEqual({ id: "7", part: "2" });
  // @ts-expect-error there is no such variable
  expect(found?.other).toBeUndefined();

  const source: string = "notes://{id}";
  const open = parse(source);
  expectTypeOf(open.variables).toEqualTypeOf<readonly string[]>();
  expect(open.expand({ id: 1, other: ["x"] })).toBe("notes://1");
});

test("values are checked by name and modifier", () => {
  const template = parse("/{id:3}{?tag*}");
  expectTypeOf<NonNullable<Parameters0<typeof template.expand>["tag"]>>().toEqualTypeOf<NonNullable<Value>>();
  expect(template.expand({ id: "1234", tag: ["a"] })).toBe("/123?tag=a");
  // @ts-expect-error a prefix takes no list
  expect(() => template.expand({ id: ["a"] })).toThrow();
  // @ts-expect-error there is no such variable
  expect(template.expand({ other: 1 })).toBe("/");
});

test("what a match gives can be expanded again", () => {
  const template = parse("x{/dir*}{?q,rest*}");
  const found = template.match("x/a/b?q=1&z=2");
  expect(found && template.expand(found)).toBe("x/a/b?q=1&z=2");
});

type Parameters0<F extends (...args: never[]) => unknown> = F extends (first: infer P) => unknown ? P : never;
