import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isUriTemplateError, parse } from "../src/index.ts";
import { examples, variables } from "./rfc6570.ts";

test.each(examples)("RFC 6570 §%s: %s expands to %s", (_section, template, expansion) => {
  expect(parse(template).expand(variables)).toBe(expansion);
});

test("numbers and booleans are written as text", () => {
  expect(parse("/{n}{?on}").expand({ n: 7, on: false })).toBe("/7?on=false");
});

test("undefined and null members of lists and maps are left out", () => {
  const template = parse("{list}{?map*}");
  expect(template.expand({ list: ["a", undefined, null, "b"], map: { x: null, y: "1" } })).toBe("a,b?y=1");
  expect(template.expand({ list: [undefined], map: { x: undefined } })).toBe("");
});

test("a name is read from own properties only", () => {
  expect(parse("{constructor}{toString}{__proto__}").expand({})).toBe("");
  expect(parse("{constructor}").expand({ constructor: "x" })).toBe("x");
});

test("a prefix counts code points, and whole triplets where those pass unchanged", () => {
  expect(parse("{x:2}").expand({ x: "😀é!" })).toBe("%F0%9F%98%80%C3%A9");
  expect(parse("{+x:3}").expand({ x: "a%20bc" })).toBe("a%20b");
  expect(parse("{x:3}").expand({ x: "a%20bc" })).toBe("a%252");
});

test("reserved expansion keeps triplets and encodes a lone percent sign", () => {
  expect(parse("{+x}").expand({ x: "%41%zz%" })).toBe("%41%25zz%25");
});

test("a variable is called as the template writes it, triplets and their case included (RFC 6570 §2.3)", () => {
  const template = parse("{a%2fb}{?c%2fd,e*}");
  expect(template.variables).toEqual(["a%2fb", "c%2fd", "e"]);
  expect(template.expand({ "a%2fb": 1, "c%2fd": 2 })).toBe("1?c%2fd=2");
  expect(template.match("1?c%2Fd=2")).toEqual({ "a%2fb": "1", "c%2fd": "2" });
  expect(template.match("1?c%2fd=2&x=3")).toEqual({ "a%2fb": "1", "c%2fd": "2", e: { x: "3" } });
});

test("literals that no URI may hold are percent-encoded", () => {
  expect(parse("http://é.example/{x}").expand({ x: 1 })).toBe("http://%C3%A9.example/1");
});

test("a lone surrogate becomes the replacement character", () => {
  expect(parse("{x}{+x}").expand({ x: "\uD800" })).toBe("%EF%BF%BD%EF%BF%BD");
});

test.each([
  ["a function", "{x}", () => 1],
  ["a symbol", "{x}", Symbol.iterator],
  ["a date", "{x}", new Date(0)],
  ["a Map", "{?x*}", new Map([["a", "b"]])],
  ["a URL", "{+x}", new URL("https://example.test/")],
  ["a nested list", "{x}", [["a"]]],
  ["a nested map", "{?x*}", { a: {} }],
  ["a list under a prefix", "{x:3}", ["a"]],
  ["a map under a prefix", "{+keys:1}", { a: "b" }],
])("%s is refused with a typed error", (_what, template, x) => {
  const values = { x, keys: x } as never;
  expect(() => parse(template).expand(values)).toThrow(expect.objectContaining({ code: "invalid-value" }));
});

test("arbitrary values never make expand throw anything but the typed error, and give only URI characters", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...examples.map(([, template]) => template)),
      fc.anything(),
      (template, value) => {
        const names = parse(template).variables;
        try {
          const uri = parse(template).expand(Object.fromEntries(names.map((name) => [name, value])) as never);
          expect(uri).toMatch(/^[!#-;=?-Z[\]_a-z~]*$/);
        } catch (error) {
          if (!isUriTemplateError(error)) {
            throw error;
          }
        }
      },
    ),
    { numRuns: samples(3000) },
  );
});
