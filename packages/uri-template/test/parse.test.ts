import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { type UriTemplateError, isUriTemplateError, parse } from "../src/index.ts";

const refused = (template: string): UriTemplateError => {
  try {
    parse(template);
  } catch (error) {
    if (isUriTemplateError(error)) {
      return error;
    }
    throw error;
  }
  throw new Error(`${template} was accepted`);
};

test.each([
  ["an unclosed expression", "/a{b", 2],
  ["an unopened expression", "/a}b", 2],
  ["an expression in an expression", "{a{b}}", 1],
  ["an empty expression", "x{}", 2],
  ["an operator alone", "{?}", 2],
  ["an empty variable", "{a,,b}", 3],
  ["a comma at the end", "{a,}", 3],
  ["a space in a name", "{with space}", 1],
  ["a space before a name", "{ leading}", 1],
  ["a space in a list", "/resolution{?x, y}", 15],
  ["a hyphen in a name", "/{default-graph}", 2],
  ["a dollar", "{$var}", 1],
  ["a star in front", "{*keys}", 1],
  ["a slash after the star", "{/id*", 0],
  ["two operators", "{/?id}", 2],
  ["a doubled operator", "{??hello}", 2],
  ["an operator in the middle of the list", "/h{#a,+b}", 6],
  ["reserved operator =", "{=path}", 1],
  ["reserved operator ,", "{,path}", 1],
  ["reserved operator !", "{!hello}", 1],
  ["reserved operator @", "{@x}", 1],
  ["reserved operator |", "{|var*}", 1],
  ["a default value", "{?empty=default,var}", 2],
  ["a draft's join operator", "{-join|&|var,list}", 1],
  ["a tilde", "/people/{~thing}", 9],
  ["a word as prefix length", "{var:prefix}", 1],
  ["a prefix length of 0", "{var:0}", 1],
  ["a prefix length with leading 0", "{var:03}", 1],
  ["a prefix length of 10000", "{var:10000}", 1],
  ["a prefix and a star", "{keys:1*}", 1],
  ["a star and a prefix", "{hello*:2}", 1],
  ["an empty prefix length", "{var:}", 1],
  ["a dot at the start of a name", "{..a}", 2],
  ["a dot at the end of a name", "{a.}", 1],
  ["two dots in a name", "{a..b}", 1],
  ["a broken triplet in a name", "{%4}", 1],
  ["a broken triplet in a literal", "/100%/{x}", 4],
  ["a space in a literal", "a b", 1],
  ["a quotation mark in a literal", 'a"b', 1],
  ["a backslash in a literal", "a\\b", 1],
  ["a control character in a literal", "a\u0000b", 1],
  ["a lone surrogate in a literal", "a\uD800", 1],
  ["a wrong bracket", "/sparql{?query){&x*}", 9],
])("%s is refused with its position", (_what, template, position) => {
  expect(refused(template)).toMatchObject({ name: "UriTemplateError", code: "malformed-template", position });
});

test("variables are listed once, in order", () => {
  expect(parse("/{b}/{a:3}{?c*,b}{&%41.x}").variables).toEqual(["b", "a", "c", "%41.x"]);
  expect(parse("no-variables").variables).toEqual([]);
});

test("the literal prefix is what every expansion begins with", () => {
  expect(parse("file:///é/{x}").prefix).toBe("file:///%C3%A9/");
  expect(parse("{x}").prefix).toBe("");
  expect(parse("only").prefix).toBe("only");
});

test("limits are enforced with a typed error, and can be changed", () => {
  expect(refused("a".repeat(4097)).code).toBe("limit-exceeded");
  expect(refused("{a}".repeat(65)).code).toBe("limit-exceeded");
  expect(parse("{a}".repeat(65), { limits: { variables: 65, uriLength: undefined } }).variables).toEqual([
    "a",
  ]);
  expect(() => parse("{a}".repeat(201), { limits: { variables: 1000 } })).toThrow(/at most 200/);
  expect(() => parse("/{a}", { limits: { uriLength: 3 } }).match("/abc")).toThrow(/limits.uriLength, got 4/);
});

test("an error is recognised by its brand, not by its class", () => {
  expect(isUriTemplateError({ [Symbol.for("@tenon/uri-template/error")]: true })).toBe(true);
  expect(isUriTemplateError(new Error("no"))).toBe(false);
  expect(isUriTemplateError(undefined)).toBe(false);
});

test("arbitrary text parses or gives the typed error", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "*",
    ":",
    ",",
    "?",
    "+",
    "/",
    "%",
    "%41",
    "a",
    "b",
    "3",
    " ",
    "é",
    "\uD800",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces).map((list) => list.join("")),
  );
  fc.assert(
    fc.property(text, text, (template, uri) => {
      try {
        const parsed = parse(template);
        parsed.match(uri);
        parsed.match(template);
        parsed.expand({});
      } catch (error) {
        if (!isUriTemplateError(error)) {
          throw error;
        }
      }
    }),
    { numRuns: samples(5000) },
  );
});
