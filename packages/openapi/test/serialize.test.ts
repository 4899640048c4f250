import { samples } from "@tenon/samples";
import fc from "fast-check";
import qs from "qs";
import { parseTemplate } from "url-template";
import { expect, test } from "vitest";

import { encodeReserved, encodeUnreserved } from "../src/request/encode.ts";
import { serializeInline, serializePairs } from "../src/request/serialize.ts";

const text = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: "grapheme" }),
  fc.webUrl(),
);
const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/).filter((one) => !(one in {}));
const value = fc.oneof(
  text,
  fc.integer(),
  fc.array(text, { minLength: 1, maxLength: 4 }),
  fc.dictionary(name, text, { minKeys: 1, maxKeys: 4 }),
);

/** What RFC 6570 has for a style, by another implementation. */
const operators = [
  ["simple", ""],
  ["label", "."],
  ["matrix", ";"],
] as const;

test.each(operators)("the style %s writes what the URI template {%sname} expands to", (style, operator) => {
  fc.assert(
    fc.property(name, value, fc.boolean(), (key, given, explode) => {
      const template = parseTemplate(`{${operator}${key}${explode ? "*" : ""}}`);
      // The other implementation writes `;a` for an empty value only, as ours does.
      expect(serializeInline(key, given, { style, explode }, encodeUnreserved)).toBe(
        template.expand({ [key]: given }),
      );
    }),
    { numRuns: samples(150) },
  );
});

test("the style form writes what the URI template {?name} expands to", () => {
  fc.assert(
    fc.property(name, value, fc.boolean(), (key, given, explode) => {
      const pairs = serializePairs(key, given, { style: "form", explode }, encodeUnreserved);
      expect(`?${pairs.map((pair) => pair.join("=")).join("&")}`).toBe(
        parseTemplate(`{?${key}${explode ? "*" : ""}}`).expand({ [key]: given }),
      );
    }),
    { numRuns: samples(150) },
  );
});

test("reserved characters are left as the URI template {+name} leaves them", () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(encodeReserved(given, "")).toBe(parseTemplate("{+name}").expand({ name: given }));
    }),
    { numRuns: samples(150) },
  );
});

test("a deep object is read back by another implementation, and the delimited styles by splitting", () => {
  const deep = fc.dictionary(
    name,
    fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 }), fc.dictionary(name, text, { minKeys: 1 })),
    { minKeys: 1, maxKeys: 3 },
  );
  fc.assert(
    fc.property(name, deep, fc.array(text, { minLength: 1, maxLength: 4 }), (key, given, list) => {
      const pairs = serializePairs(key, given, { style: "deepObject", explode: true }, encodeUnreserved);
      const query = pairs.map((pair) => pair.join("=")).join("&");
      const read = qs.parse(query, { depth: 8, plainObjects: true, parameterLimit: 100 });
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify({ [key]: given })));
      for (const [style, delimiter] of [
        ["spaceDelimited", " "],
        ["pipeDelimited", "|"],
      ] as const) {
        const [pair = ["", ""]] = serializePairs(key, list, { style, explode: false }, encodeUnreserved);
        const items = pair[1].split(encodeURIComponent(delimiter));
        // An item with the delimiter cannot be told apart: the specification has no escape.
        const isPlain = list.every((item) => !item.includes(delimiter));
        expect(items.map(decodeURIComponent)).toEqual(isPlain ? list : items.map(decodeURIComponent));
        expect(items.length).toBeGreaterThanOrEqual(list.length);
      }
    }),
    { numRuns: samples(100) },
  );
});

test("no value of a header, a path or a query brings a delimiter along", () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(encodeUnreserved(given)).toMatch(/^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
    }),
    { numRuns: samples(150) },
  );
});
