import { expect, test } from "vitest";

import { array, compile, For, integer, object, refine, string } from "../src/index.ts";

class Place {
  @string("City name") city!: string;
}
class Search {
  @object("Where", Place) place!: Place;
  @integer("How many", { maximum: 100 }) limit = 20;
  @array("Words", string()) words!: string[];
}

test("refine overrides keywords of a schema and of its nested properties and items, in a copy (S-141)", () => {
  const original = For(Search);
  const before = structuredClone(original);
  const refined = refine(original, {
    title: "Search the archive",
    properties: {
      limit: { maximum: 50, description: "At most this many hits" },
      place: { properties: { city: { enum: ["Oslo", "Bergen"] } } },
      words: { minItems: 1, items: { maxLength: 5 } },
    },
  });
  expect(original).toEqual(before);
  expect(refined).toEqual({
    ...before,
    title: "Search the archive",
    properties: {
      place: {
        ...(before.properties?.["place"] as object),
        properties: { city: { type: "string", description: "City name", enum: ["Oslo", "Bergen"] } },
      },
      limit: { type: "integer", description: "At most this many hits", maximum: 50, default: 20 },
      words: { type: "array", description: "Words", minItems: 1, items: { type: "string", maxLength: 5 } },
    },
  });
  const validator = compile(refined);
  expect(validator.is({ place: { city: "Oslo" }, words: ["oak"] })).toBe(true);
  expect(validator.is({ place: { city: "Rome" }, words: ["oak"] })).toBe(false);
});

test("a property that the schema does not have cannot be refined, nor items where there are none", () => {
  const error = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (cause) {
      return cause;
    }
  };
  const misspelt = error(() => refine(For(Search), { properties: { limmit: { maximum: 5 } } }));
  expect(misspelt).toMatchObject({ code: "invalid-keyword", location: "#/properties/limmit" });
  expect(error(() => refine({ type: "object" }, { items: {} }))).toMatchObject({ location: "#/items" });
  expect(error(() => refine(For(Search), { properties: { toString: {} } }))).toMatchObject({
    location: "#/properties/toString",
  });
});
