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
  const type = typeOnly(schema);
  return sizeOf(type) <= maxBytes ? type : {};
}

/**
 * Removes the strict rules from each part of a schema with a reference to a widened definition,
 * because a definition that accepts more makes them accept less. The result is never larger than
 * the schema.
 */
export function relaxed(schema: Schema, isWidened: (reference: string) => boolean): Schema {
  return withLevels(schema, Infinity, (part) => refersTo(part, isWidened));
}

function refersTo(value: unknown, isMeant: (reference: string) => boolean): boolean {
  if (Array.isArray(value)) {
    return value.some((one) => refersTo(one, isMeant));
  }
  return (
    isRecord(value) &&
    Object.entries(value).some(([name, one]) =>
      name === "$ref" && typeof one === "string" ? isMeant(one) : refersTo(one, isMeant),
    )
  );
}

/**
 * Rules under which a part that accepts more makes the whole accept less. Schemas that are cut have
 * none of them, also because definitions may be cut later.
 */
const strictRules = new Set([
  "not",
  "if",
  "then",
  "else",
  "contains",
  "minContains",
  "maxContains",
  "dependentSchemas",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
]);

/** @param isChanged - Whether a part is changed at all. By default every part is. */
function withLevels(schema: unknown, levels: number, isChanged?: (part: Schema) => boolean): Schema {
  if (!isRecord(schema) || isChanged?.(schema) === false) {
    return schema as Schema;
  }
  if (levels === 0) {
    return shortOf(schema);
  }
  const below = (value: unknown): Schema => withLevels(value, levels - 1, isChanged);
  const beside = (value: unknown): Schema => withLevels(value, levels, isChanged);
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "description" && typeof value === "string") {
      result[name] = short(value, maxDescription * levels);
    } else if (name === "properties" || name === "patternProperties") {
      const members = isRecord(value) ? Object.entries(value) : [];
      result[name] = Object.fromEntries(members.map(([key, one]) => [key, below(one)]));
    } else if (name === "items" || name === "additionalProperties") {
      result[name] = below(value);
    } else if (name === "prefixItems" && Array.isArray(value)) {
      result[name] = value.map(below);
    } else if ((name === "allOf" || name === "anyOf") && Array.isArray(value)) {
      result[name] = value.map(beside);
    } else if (name === "oneOf" && Array.isArray(value)) {
      // A value may match several alternatives of which parts are left out.
      result["anyOf"] = value.map(beside);
    } else if (!strictRules.has(name)) {
      result[name] = value;
    }
  }
  return result;
}

/** A schema with its rules if they are few, else with its type, and a short description. */
function shortOf(schema: Record<string, unknown>): Schema {
  const { description, ...others } = schema;
  const rules = withLevels(others, maxLevels);
  return {
    ...(isRecord(rules) && sizeOf(rules) <= smallBytes ? rules : typeOnly(schema)),
    ...(typeof description === "string" && { description: short(description, maxDescription) }),
  };
}

function short(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
