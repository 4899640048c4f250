import { expect, test } from "vitest";

import { parse } from "../src/index.ts";
import { examples, variables } from "./rfc6570.ts";

const match = (template: string, uri: string): unknown => {
  const found = parse(template).match(uri);
  return found === undefined ? undefined : { ...found };
};

/**
 * Examples in which the text is lost that a match would need: nothing or something empty stands in
 * a required place.
 */
const notMatched = new Set(["O{empty}X", "O{undef}X", "O{+empty}X", "O{+undef}X"]);

test.each(examples)(
  "RFC 6570 §%s: %s matches its expansion %s, and expands to it again",
  (_s, template, uri) => {
    const parsed = parse(template);
    const found = parsed.match(uri);
    if (notMatched.has(template)) {
      expect(found).toBeUndefined();
      return;
    }
    expect(found).toBeDefined();
    const plain = parsed.variables.length === 1 && !/[:*]/.test(template);
    const name = parsed.variables[0] as keyof typeof variables;
    if (plain && typeof variables[name] === "string" && found?.[name] !== undefined) {
      expect(found[name]).toBe(variables[name]);
    }
    // A list that was not exploded comes back as one text, in which the comma is then encoded.
    const comma = (text: string): string =>
      text.replaceAll(/%2C/g, ",").replaceAll("%3D", "=").replaceAll("%253B", "%3B");
    expect(comma(parsed.expand(found ?? {}))).toBe(comma(uri));
  },
);

test.each<[template: string, uri: string, expected: unknown]>([
  // Simple variables stay in their segment.
  ["/{a}", "/x", { a: "x" }],
  ["/{a}", "/x/y", undefined],
  ["/{a}", "/x?y", undefined],
  ["/{a}", "/x#y", undefined],
  ["/{a}", "/", undefined],
  ["/{a}/{b}", "/x/y", { a: "x", b: "y" }],
  ["/{a}/end", "/x/y/end", undefined],
  ["user://{mail}", "user://bob@example.com", { mail: "bob@example.com" }],
  ["geo://{at}", "geo://48.8,2.3", { at: "48.8,2.3" }],
  // Reserved ones do not.
  ["file:///{+path}", "file:///a/b/c.txt", { path: "a/b/c.txt" }],
  ["file:///{+path}", "file:///", undefined],
  ["{+all}", "http://u:p@h:1/p?q#f", { all: "http://u:p@h:1/p?q#f" }],
  ["page{#at}", "page#a/b?c#d", { at: "a/b?c#d" }],
  ["page{#at}", "page", {}],
  ["page{#at}", "page#", { at: "" }],
  ["page{#x,y}", "page#1,2", { x: "1", y: "2" }],
  ["page{#x,y}", "page,2", undefined],
  // Decoding.
  ["/{a}", "/caf%C3%A9%20x", { a: "café x" }],
  ["/{a}", "/caf%c3%a9", { a: "café" }],
  ["/{a}", "/café x", { a: "café x" }],
  ["/{a}", "/x%2Fy", { a: "x/y" }],
  ["/é/{a}", "/%c3%A9/x", { a: "x" }],
  ["/{a}", "/100%", undefined],
  ["/{a}", "/%zz", undefined],
  ["/{a}", "/%FF", undefined],
  // Several variables in one expression.
  ["/{x,y}", "/1,2", { x: "1", y: "2" }],
  ["/{x,y}", "/1", { x: "1" }],
  ["/{x,y}", "/1,2,3", { x: "1,2", y: "3" }],
  ["/{x,y*}", "/1,2,3", { x: "1,2", y: ["3"] }],
  ["a{/b,c}", "a/1/2", { b: "1", c: "2" }],
  ["a{/b,c}", "a/1", { b: "1" }],
  ["a{/b,c}", "a", {}],
  ["a{/b,c}", "a/", { b: "" }],
  ["a{/b,c}", "a/1/2/3", undefined],
  ["a{/b*}", "a/1/2/3", { b: ["1", "2", "3"] }],
  ["a{/b*}", "a/1%2F2/3", { b: ["1/2", "3"] }],
  ["a{/b*,c}", "a/1/2/3", { b: ["1", "2"], c: "3" }],
  ["f{.ext}", "f.tar.gz", { ext: "tar.gz" }],
  ["f{.a,b}", "f.tar.gz", { a: "tar", b: "gz" }],
  ["f{.a*}", "f.tar.gz", { a: ["tar", "gz"] }],
  // Most expressions present, then the leftmost longest.
  ["{+path}{.ext}", "a/b.tar.gz", { path: "a/b.tar", ext: "gz" }],
  ["{+path}{.ext}", "a/b", { path: "a/b" }],
  ["{+dir}{/file}", "a/b/c", { dir: "a/b", file: "c" }],
  ["{+a}/{+b}", "1/2/3", { a: "1/2", b: "3" }],
  ["{a}{b}", "xyz", { a: "xy", b: "z" }],
  ["{a}{b}", "x", undefined],
  ["{a}-{b}", "x-y-z", { a: "x-y", b: "z" }],
  ["{+a}/x/{b}", "1/x/x/2", { a: "1/x", b: "2" }],
  ["repo://{+path}/blob/{+file}.md", "repo://a/blob/b/blob/c.md", { path: "a/blob/b", file: "c" }],
  // Query parameters: any order, each optional, none unknown.
  ["/s{?q,lang}", "/s?q=1&lang=de", { q: "1", lang: "de" }],
  ["/s{?q,lang}", "/s?lang=de&q=1", { q: "1", lang: "de" }],
  ["/s{?q,lang}", "/s?lang=de", { lang: "de" }],
  ["/s{?q,lang}", "/s", {}],
  ["/s{?q,lang}", "/s?", {}],
  ["/s{?q}", "/s?q", { q: "" }],
  ["/s{?q}", "/s?q=", { q: "" }],
  ["/s{?q}", "/s?q=a=b/c?d", { q: "a=b/c?d" }],
  ["/s{?q}", "/s?q=a+b", { q: "a+b" }],
  ["/s{?q}", "/s?q=1&q=2", undefined],
  ["/s{?q}", "/s?q=1&x=2", undefined],
  ["/s{?q}", "/s?&q=1&", { q: "1" }],
  ["/s{?q}", "/s&q=1", undefined],
  ["/s{?q}", "/s?q=%FF", undefined],
  ["/s{?q}", "/s?%FF=1", undefined],
  ["/s?fixed=1{&q}", "/s?fixed=1&q=2", { q: "2" }],
  ["/s{?a}{&b}", "/s?b=1&a=2", { a: "2", b: "1" }],
  ["/s{?a}{&b}", "/s&b=1", { b: "1" }],
  ["/{id}{?q,lang}", "/7?lang=de", { id: "7", lang: "de" }],
  ["/{+path}{?q}{#at}", "/a/b?q=1#x", { path: "a/b", q: "1", at: "x" }],
  ["/{+path}{?q}{#at}", "/a/b#x?q=1", { path: "a/b", at: "x?q=1" }],
  ["/{+path}{?q}", "/a?other=1", undefined],
  ["m{;x,y}", "m;y=2;x=1", { x: "1", y: "2" }],
  ["m{;x,y}", "m;x", { x: "" }],
  ["m{;x}/{z}", "m;x=1/2", { x: "1", z: "2" }],
  // Exploded parameters are lists of their own name, or maps of others.
  ["/s{?tag*}", "/s?tag=a&tag=b", { tag: ["a", "b"] }],
  ["/s{?tag*}", "/s?tag=a", { tag: ["a"] }],
  ["/s{?rest*}", "/s?x=1&y=2", { rest: { x: "1", y: "2" } }],
  ["/s{?rest*}", "/s?x=1&x=2", undefined],
  ["/s{?q,rest*}", "/s?x=1&q=2", { q: "2", rest: { x: "1" } }],
  ["/s{?a*,b*}", "/s?b=1&b=2&x=3", { a: { x: "3" }, b: ["1", "2"] }],
  ["/s{?rest*}", "/s?rest=0&x=1", { rest: { rest: "0", x: "1" } }],
  ["/s{?rest*}", "/s?rest=0&rest=2&x=1", undefined],
  ["/s{?rest*}", "/s?=1", undefined],
  ["m{;k*}", "m;a=1;b", { k: { a: "1", b: "" } }],
  // Repetitions agree; prefixes are the beginning of the value.
  ["/{a}/{a}", "/x/x", { a: "x" }],
  ["/{a}/{a}", "/x/y", undefined],
  ["/{id:1}/{id}", "/7/789", { id: "789" }],
  ["/{id:1}/{id}", "/8/789", undefined],
  ["/{id:3}/{id}", "/7/789", undefined],
  ["/{id:3}", "/789", { id: "789" }],
  ["/{id:3}", "/7890", undefined],
  ["/{id:1}/{id:2}", "/7/78", { id: "78" }],
  // No variables at all.
  ["", "", {}],
  ["", "x", undefined],
  ["fixed", "fixed", {}],
  ["fixed", "fixed2", undefined],
  ["aba{x}aba", "aba", undefined],
])("%s with %s gives %j", (template, uri, expected) => {
  expect(match(template, uri)).toEqual(expected);
});

test("no name is special in a result", () => {
  const found = parse("/{__proto__}{?rest*}").match("/x?__proto__=1&constructor=2");
  expect(Object.keys(found ?? {})).toEqual(["__proto__", "rest"]);
  expect(Object.entries(found?.["rest"] ?? {})).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
  expect("toString" in (found ?? {})).toBe(false);
});
