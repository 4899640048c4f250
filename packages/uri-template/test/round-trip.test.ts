import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { parse } from "../src/index.ts";

const word = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
const maybeEmpty = fc.string({ unit: "binary", maxLength: 12 });
/** Text that a reserved expansion can give back: nothing that delimits, no percent sign. */
const reservedWord = word.filter((text) => !/[%?#]/.test(text));
const list = fc.array(maybeEmpty, { minLength: 1, maxLength: 4 });
const opt = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const defined = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

test("a path, a query in any order and a fragment come back as they went in", () => {
  const template = parse("x://{host}/{id}/edit{?q,tag*,lang}{#at}");
  const values = fc.record({
    host: word,
    id: word,
    q: opt(maybeEmpty),
    tag: opt(list),
    lang: opt(maybeEmpty),
    at: opt(maybeEmpty.filter((text) => !text.includes("%"))),
  });
  fc.assert(
    fc.property(values, fc.boolean(), (values, reverse) => {
      const uri = template.expand(values);
      const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(uri) ?? [];
      const pairs = query === "" ? [] : query.slice(1).split("&");
      // Only parameters of one name keep their order.
      const sorted = reverse
        ? pairs.toSorted((a, b) => (a.split("=")[0] ?? "").localeCompare(b.split("=")[0] ?? ""))
        : pairs;
      const again = path + (sorted.length > 0 ? `?${sorted.join("&")}` : "") + fragment;
      expect({ ...template.match(again) }).toEqual(defined(values));
    }),
    { numRuns: samples(2000) },
  );
});

test("reserved paths, path lists, labels and parameters come back as they went in", () => {
  const cases: [string, fc.Arbitrary<Record<string, unknown>>][] = [
    ["file:///{+path}{?line}", fc.record({ path: reservedWord, line: opt(maybeEmpty) })],
    ["f{/dir*}", fc.record({ dir: list })],
    ["f{/dir*,name}", fc.record({ dir: list, name: maybeEmpty })],
    [
      "f{/a,b}{.ext}",
      fc.record({
        a: word.filter((t) => !t.includes(".")),
        b: word.filter((t) => !t.includes(".")),
        ext: opt(word.filter((t) => !t.includes("."))),
      }),
    ],
    ["{x,y}", fc.record({ x: word, y: opt(maybeEmpty) })],
    ["{x}/{y*}", fc.record({ x: word, y: list.filter((items) => items.join() !== "") })],
    ["m{;a,b}{;c}", fc.record({ a: opt(maybeEmpty), b: opt(maybeEmpty), c: opt(maybeEmpty) })],
    ["{a:2}/{a}", fc.record({ a: word })],
    ["s{?q}{&r}", fc.record({ q: maybeEmpty, r: opt(maybeEmpty) })],
  ];
  for (const [template, values] of cases) {
    const parsed = parse(template);
    fc.assert(
      fc.property(values, (values) => {
        expect({ ...parsed.match(parsed.expand(values as never)) }).toEqual(defined(values));
      }),
      { numRuns: samples(500) },
    );
  }
});

test("an exploded map in the query comes back as a map", () => {
  const template = parse("s{?fixed,rest*}");
  const map = fc.dictionary(
    word.filter((key) => key !== "fixed" && key !== "rest"),
    maybeEmpty,
    { minKeys: 1, maxKeys: 4 },
  );
  fc.assert(
    fc.property(fc.record({ fixed: opt(maybeEmpty), rest: map }), (values) => {
      const found = template.match(template.expand(values));
      expect({ ...found, rest: { ...(found?.rest as object) } }).toEqual({
        ...defined(values),
        rest: { ...values.rest },
      });
    }),
  );
});

test("what a match gives expands to a URI that matches the same", () => {
  const templates = ["/{a}", "x{/p*}", "{+p}{.e}", "s{?q,r*}", "{a}-{b}", "{+a}/{b}{#c}", "m{;x,y*}"];
  const uri = fc
    .array(fc.constantFrom("a", "b", "/", ".", "-", "?", "&", "=", "q", ";", "x", "#", "%41", ","))
    .map((l) => l.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...templates), uri, fc.boolean(), (source, tail, whole) => {
      const template = parse(source);
      const found = template.match(whole ? tail : source.replaceAll(/\{.*$/g, "") + tail);
      fc.pre(found !== undefined);
      const again = template.expand(found);
      if (!/[{][+#]/.test(source)) {
        expect(template.match(again)).toEqual(found);
      }
    }),
    { numRuns: samples(3000) },
  );
});
