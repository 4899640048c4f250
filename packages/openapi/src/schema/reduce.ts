import { isRecord } from "@tenon/base";

import type { Schema } from "./convert.ts";

/** The levels of properties and items that are tried, most first. */
const maxLevels = 8;
/** Rules of this size are kept even if their level is not. */
const smallBytes = 200;
const maxDescription = 120;

/** The size of a schema as JSON, in UTF-16 units: nearly bytes, and far quicker. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/** Reduces a schema that is too large to the type of its values. */
export function typeOnly(schema: Schema): Record<string, unknown> {
  return typeof schema === "object" && schema["type"] !== undefined ? { type: schema["type"] } : {};
}

/**
 * Reduces a schema until it fits: as many levels of its properties and items stay as the limit
 * allows, and deeper parts accept any value of their type. The result accepts every value that the
 * schema accepts.
 */
export function reduced(schema: Schema, maxBytes: number): Schema {
  for (let levels = maxLevels; levels > 0; levels--) {
    const found = withLevels(schema, levels);
    if (sizeOf(found) <= maxBytes) {
      return found;
    }
  }
  return typeOnly(schema);
}

function withLevels(schema: unknown, levels: number): Schema {
  if (!isRecord(schema)) {
    return schema as Schema;
  }
  // These count what other parts of the schema describe, so no part may be left out.
  if ("unevaluatedProperties" in schema || "unevaluatedItems" in schema || levels === 0) {
    return shortOf(schema);
  }
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, ...others } = schema;
  const below = (value: unknown): Schema => withLevels(value, levels - 1);
  const beside = (value: unknown): Schema => withLevels(value, levels);
  // A value may match several alternatives of which parts are left out.
  const alternatives = anyOf === undefined ? oneOf : anyOf;
  return {
    ...others,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, below(one)])),
    }),
    ...(items !== undefined && { items: below(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: below(additionalProperties) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(beside) }),
    ...(Array.isArray(alternatives) && { anyOf: alternatives.map(beside) }),
  };
}

/** A schema with its rules if they are few, else with its type, and a short description. */
function shortOf(schema: Record<string, unknown>): Schema {
  const { description, ...rules } = schema;
  return {
    ...(sizeOf(rules) <= smallBytes ? rules : typeOnly(schema)),
    ...(typeof description === "string" && {
      description:
        description.length > maxDescription ? `${description.slice(0, maxDescription)}…` : description,
    }),
  };
}
