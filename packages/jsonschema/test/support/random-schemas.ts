import type { JSONSchema } from "../../src/index.ts";

/** Numbers from a seed (mulberry32), so that a run can be repeated. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
type Keywords = Record<string, unknown>;

/** Small vocabularies, so that schemas and values meet. */
export const plainNames = ["a", "b", "ab", "c", "0", "a/b~", "'\u2028"];
/** Names that ajv mistakes for others. */
const oddNames = ["", "toString", "__proto__", "constructor"];
const typeNames = ["null", "boolean", "number", "integer", "string", "array", "object"] as const;
const scalars = [null, true, false, 0, 1, 2, -1, 1.5, 0.5, 1e15, "", "a", "ab", "b", "\u{1F600}", "c-d"];
const patterns = ["^a", "b$", "^.$", "[bc]", "^[^a]*$", "^\\p{L}*$"];

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const count = (random: Random): number => Math.floor(random() * 4);

/** A JSON value. */
export function randomValue(random: Random, names: readonly string[], depth = 3): unknown {
  const kind = depth === 0 ? 0 : random();
  if (kind < 0.4) {
    return pick(random, scalars);
  }
  const length = count(random);
  if (kind < 0.65) {
    return Array.from({ length }, () => randomValue(random, names, depth - 1));
  }
  const members = Array.from({ length: length + 1 }, () => [
    pick(random, names),
    randomValue(random, names, depth - 1),
  ]);
  return Object.fromEntries(members as [string, unknown][]);
}

/** Where a schema is made. */
interface Place {
  readonly random: Random;
  readonly names: readonly string[];
  readonly depth: number;
  /** Definitions that may be referred to for the same value: later ones, so that none loops. */
  readonly later: readonly string[];
  /** Everything that may be referred to below. */
  readonly all: readonly string[];
}

/** Every keyword of draft 2020-12 that asserts or applies, as functions. */
const keywords: readonly ((place: Place) => Keywords)[] = [
  ({ random }) => ({ type: pick(random, typeNames) }),
  ({ random }) => ({ type: [...new Set([pick(random, typeNames), pick(random, typeNames)])] }),
  ({ random, names }) => ({ const: randomValue(random, names, 2) }),
  ({ random, names }) => ({
    enum: [pick(random, scalars), randomValue(random, names, 2), pick(random, scalars)],
  }),
  ({ random }) => ({ minimum: count(random) - 1 }),
  ({ random }) => ({ maximum: count(random) }),
  ({ random }) => ({ exclusiveMinimum: count(random) - 1 }),
  ({ random }) => ({ exclusiveMaximum: count(random) }),
  ({ random }) => ({ multipleOf: pick(random, [1, 2, 0.5]) }),
  ({ random }) => ({ minLength: count(random) }),
  ({ random }) => ({ maxLength: count(random) }),
  ({ random }) => ({ pattern: pick(random, patterns) }),
  (place) => ({ items: below(place) }),
  (place) => ({ prefixItems: listOf(place, below) }),
  (place) => ({ prefixItems: listOf(place, below), items: below(place) }),
  (place) => ({ contains: below(place) }),
  (place) => ({ contains: below(place), minContains: count(place.random), maxContains: count(place.random) }),
  ({ random }) => ({ minItems: count(random) }),
  ({ random }) => ({ maxItems: count(random) }),
  ({ random }) => ({ uniqueItems: random() < 0.8 }),
  (place) => ({ properties: mapOf(place, below) }),
  (place) => ({ required: namesOf(place) }),
  (place) => ({ additionalProperties: below(place) }),
  (place) => ({
    patternProperties: {
      [pick(place.random, patterns)]: below(place),
      [pick(place.random, patterns)]: below(place),
    },
  }),
  (place) => ({ propertyNames: below(place) }),
  ({ random }) => ({ minProperties: count(random) }),
  ({ random }) => ({ maxProperties: count(random) }),
  (place) => ({ dependentRequired: { [pick(place.random, place.names)]: namesOf(place) } }),
  (place) => ({ dependentSchemas: mapOf(place, beside) }),
  (place) => ({ allOf: listOf(place, beside) }),
  (place) => ({ anyOf: listOf(place, beside) }),
  (place) => ({ oneOf: listOf(place, beside) }),
  (place) => ({ not: beside(place) }),
  (place) => ({ if: beside(place), then: beside(place), else: beside(place) }),
  (place) => ({ if: beside(place), then: beside(place) }),
  (place) => ({ if: beside(place), else: beside(place) }),
  (place) => ({ unevaluatedProperties: below(place) }),
  (place) => ({ unevaluatedItems: below(place) }),
  ({ random, later }) => (later.length === 0 ? {} : { $ref: pick(random, later) }),
  ({ random, later }) => (later.length === 0 ? {} : { $dynamicRef: pick(random, later) }),
];

function namesOf({ random, names }: Place): string[] {
  return [...new Set([pick(random, names), pick(random, names)])];
}

function listOf(place: Place, child: (place: Place) => JSONSchema): JSONSchema[] {
  return Array.from({ length: 1 + Math.floor(place.random() * 2) }, () => child(place));
}

function mapOf(place: Place, child: (place: Place) => JSONSchema): Record<string, JSONSchema> {
  return Object.fromEntries(namesOf(place).map((name) => [name, child(place)]));
}

/** A schema for the same value. */
function beside(place: Place): JSONSchema {
  return schemaAt({ ...place, depth: place.depth - 1 });
}

/** A schema for a property, an item or a name: it may refer back to anything. */
function below(place: Place): JSONSchema {
  const { random, all } = place;
  return random() < 0.3
    ? { $ref: pick(random, all) }
    : schemaAt({ ...place, depth: place.depth - 1, later: place.later });
}

function schemaAt(place: Place): JSONSchema {
  const { random, depth } = place;
  if (depth <= 0 || random() < 0.1) {
    return random() < 0.3 ? random() < 0.7 : { type: pick(random, typeNames) };
  }
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, keywords)(place));
  return Object.assign({}, ...parts) as JSONSchema;
}

/** A schema of all keywords in all positions, which may refer to its definitions and itself. */
export function randomSchema(
  random: Random,
  isOdd: boolean,
): { schema: JSONSchema; names: readonly string[] } {
  const names = isOdd ? [...plainNames, ...oddNames] : plainNames;
  const all = ["#", "#/$defs/x", "#/$defs/y", "#/$defs/z"];
  const place = { random, names, all, depth: 3 };
  const root = schemaAt({ ...place, later: all.slice(1) });
  const base = typeof root === "boolean" ? { allOf: [root] } : root;
  const $defs = {
    x: schemaAt({ ...place, later: all.slice(2) }),
    y: schemaAt({ ...place, later: all.slice(3) }),
    z: schemaAt({ ...place, later: [] }),
  };
  return { schema: { ...(base as object), $defs }, names };
}
