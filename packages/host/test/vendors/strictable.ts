// Schemas of the kind that strict mode takes, with optional properties, unions and references, and
// values that fit a strict schema.

import { isObject } from "./json-schema.ts";

type Schema = Readonly<Record<string, unknown>>;
type Random = (below: number) => number;

function randomOf(seed: number): Random {
  let state = (seed + 1) * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const leaves: readonly Schema[] = [
  { type: "string" },
  { type: "integer" },
  { type: "number", minimum: 0 },
  { type: "boolean" },
  { type: "null" },
  { type: ["string", "null"] },
  { enum: ["x", "y"] },
  { enum: ["x", null] },
  { const: "k" },
  { type: "string", default: "x" },
  { $ref: "#/$defs/a" },
  { $ref: "#/$defs/b", description: "B" },
];

function node(random: Random, depth: number): Schema {
  const kind = depth > 0 ? random(8) : 9;
  if (kind < 3) {
    return object(random, depth);
  }
  if (kind === 3) {
    return { type: "array", items: node(random, depth - 1), minItems: random(2) };
  }
  if (kind < 6) {
    return { anyOf: Array.from({ length: 1 + random(3) }, () => node(random, depth - 1)) };
  }
  if (kind === 6) {
    return { allOf: [node(random, depth - 1)], description: "One" };
  }
  return leaves[random(leaves.length)] as Schema;
}

function object(random: Random, depth: number): Schema {
  const names = ["a", "b", "c"].slice(0, random(4));
  return {
    type: random(6) === 0 ? ["object", "null"] : "object",
    properties: Object.fromEntries(names.map((name) => [name, node(random, depth - 1)])),
    required: names.filter(() => random(2) === 0),
    ...(random(2) === 0 ? { additionalProperties: false } : {}),
  };
}

/** A schema by its number. */
export function strictable(seed: number): Schema {
  const random = randomOf(seed);
  return {
    ...object(random, 4),
    type: "object",
    $defs: {
      a: object(random, 2),
      b: { type: "object", properties: { next: { $ref: "#/$defs/b" }, v: node(random, 1) } },
    },
  };
}

/** A value by a strict schema; of unions any branch, of long recursions the shortest. */
export function valueFor(root: Schema, seed: number): unknown {
  const random = randomOf(seed * 31 + 7);
  const make = (schema: unknown, depth: number): unknown => {
    // Some schemas have no value that ends.
    if (!isObject(schema) || depth > 40) {
      return null;
    }
    const { $ref, anyOf, type, properties, items } = schema;
    if (typeof $ref === "string") {
      return make((root["$defs"] as Record<string, unknown>)[$ref.slice(8)], depth + 1);
    }
    if (Array.isArray(anyOf)) {
      // The last branch of an optional property is null.
      return make(depth > 6 ? anyOf.at(-1) : anyOf[random(anyOf.length)], depth + 1);
    }
    const values = "const" in schema ? [schema["const"]] : schema["enum"];
    if (Array.isArray(values)) {
      return values[random(values.length)];
    }
    const types = [type].flat();
    switch (types[random(types.length)]) {
      case "object":
        return Object.fromEntries(
          Object.entries(properties as object).map(([name, member]) => [name, make(member, depth + 1)]),
        );
      case "array":
        return Array.from({ length: depth > 6 ? 0 : 1 + random(2) }, () => make(items, depth + 1));
      case "string":
        return ["x", "y", "k"][random(3)];
      case "integer":
        return random(5);
      case "number":
        return random(50) / 10;
      case "boolean":
        return random(2) === 0;
      default:
        return null;
    }
  };
  return make(root, 0);
}
