import {
  array,
  compile,
  date,
  For,
  integer,
  Model,
  object,
  oneOf,
  optional,
  resolveSchema,
  string,
} from "@tenon/jsonschema";
import * as z from "zod";

// 1. A literal: typed without `as const`
const search = compile({
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "integer", default: 20 } },
  required: ["query"],
});
const args = search.parse({ query: "oak" }); // { query: string; limit?: number }
const full = search.applyDefaults(args); //     { query: string; limit: number }

// 2. A class: one decorator per kind, description first
class Place {
  @string("City name") city!: string;
  @string("ISO 3166-1 alpha-2 code", { pattern: "^[A-Z]{2}$", optional: true }) country?: string;
}
class Forecast {
  @object("Where", Place) place!: Place;
  @integer("Days ahead", { minimum: 1, maximum: 14 }) days = 3; // the initialiser is the default
  @oneOf("Units", ["metric", "imperial"], { optional: true }) units?: "metric" | "imperial";
  @array("Compare with", () => Place, { optional: true }) compare?: Place[];
  @date("From", { optional: true, name: "start_at" }) start?: Date; // a string on the wire
}
const schema = For(Forecast); // the JSON Schema

// 3. A model: the same kinds, no decorators needed
class Query extends Model({
  query: string("What to look for"),
  limit: integer({ default: 20 }),
  near: optional(Place),
}) {
  get short(): boolean {
    return this.query.length < 10;
  }
}

// 4. Any library with Standard JSON Schema: zod 4.2, ArkType, valibot through
// @valibot/to-json-schema; TypeBox is (1)
const zodQuery = z.object({ query: z.string() });

// Whatever it was: { jsonSchema, check }
const { jsonSchema, check } = resolveSchema(Forecast);
const result = await check({ place: { city: "Oslo" }, start_at: "2026-01-01T00:00:00Z" });
if (result.valid) {
  console.log(result.value.start?.getFullYear()); // an instance of Forecast; `start` is a Date
}

console.log(full.limit, schema, Query, zodQuery, jsonSchema);
