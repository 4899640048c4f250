// Random schemas: every keyword with values of every kind, valid and invalid, and references.

type Random = <T>(choices: readonly T[]) => T;

/** A choice by a small generator of numbers (mulberry32): the same seed makes the same choices. */
function randomOf(seed: number): Random {
  let state = seed;
  return (choices) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return choices[((mixed ^ (mixed >>> 14)) >>> 0) % choices.length] as never;
  };
}

const names = ["a", "b", "$top", "a b", "x".repeat(70), "type", "_a", "properties", "_top"];
const odd: readonly unknown[] = [null, true, false, 0, -1, 1.5, "", "x", [], {}, ["a"], [null], { a: 1 }];
const values: readonly unknown[] = ["x", "", "a", 5, 1.5, null, true, {}, [], ["x"]];
const types: readonly unknown[] = [
  ...["string", "string", "number", "integer", "boolean", "object", "object", "array", "array", "null"],
  ...[
    "any",
    "STRING",
    null,
    ["string", "null"],
    ["object", "array"],
    ["array", "null"],
    [],
    ["object", "null"],
  ],
  ["string", "number", "boolean"],
];
const refs = ["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/nowhere", "https://x.test/s"];

/** Keywords without schemas, and values that they may have or not. */
const plain: Readonly<Record<string, readonly unknown[]>> = {
  title: ["T", 5],
  description: ["D", null, "d".repeat(300)],
  minimum: [0, 5, "0", -1.5],
  exclusiveMinimum: [true, 0],
  maxLength: [3, -1, "3", 1.5],
  minItems: [0, 1, 2, null],
  pattern: ["^x", "(?<=a)b", "[", "\\p{L}", 5],
  format: ["date-time", "uri", "int32", "email", 5],
  const: values,
  default: values,
  nullable: [true, false],
  uniqueItems: [true, "yes"],
  "x-own": ["x"],
};

type Make = (random: Random, depth: number) => unknown;

const list: Make = (random, depth) =>
  Array.from({ length: random([0, 1, 1, 2, 2, 3]) }, () => node(random, depth - 1));
const map: Make = (random, depth) =>
  Object.fromEntries(
    Array.from({ length: random([0, 1, 2, 2, 3]) }, () => [random(names), node(random, depth - 1)]),
  );
const one: Make = (random, depth) => node(random, depth - 1);

/** Keywords with schemas. The more frequent ones are there more than once. */
const nested: readonly (readonly [keyword: string, make: Make])[] = [
  ...Array.from({ length: 4 }, () => ["properties", map] as const),
  ...Array.from({ length: 3 }, () => ["items", one] as const),
  ...Array.from({ length: 2 }, () => ["anyOf", list] as const),
  ["oneOf", list],
  ["allOf", list],
  ["items", list],
  ["prefixItems", list],
  ["additionalProperties", one],
  ["patternProperties", map],
  ["not", one],
  ["if", one],
  ["dependencies", map],
];

function node(random: Random, depth: number): unknown {
  if (random([0, 0, 0, 0, 0, 0, 0, 1]) === 1) {
    return random(odd);
  }
  const schema: Record<string, unknown> = {};
  if (random([0, 1, 1, 1]) === 1) {
    schema["type"] = random(types);
  }
  for (const keyword of Object.keys(plain)) {
    if (random([0, 0, 0, 0, 0, 0, 0, 0, 1]) === 1) {
      schema[keyword] = random(plain[keyword] ?? []);
    }
  }
  if (random([0, 0, 0, 0, 1]) === 1) {
    schema["enum"] = random([[], ["x"], ["x", "y"], ["x", null], [1, 2], ["", "x"], [{}], ...odd]);
  }
  if (random([0, 0, 0, 1]) === 1) {
    schema["required"] = random([[], ["a"], ["a", "$top"], ["a", "a"], ["b", 5], ...odd]);
  }
  if (random([0, 0, 0, 0, 0, 1]) === 1) {
    schema["$ref"] = random(refs);
  }
  for (let count = depth > 0 ? random([0, 1, 1, 2, 3]) : 0; count > 0; count--) {
    const [keyword, make] = random(nested);
    schema[keyword] = random([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) === 1 ? random(odd) : make(random, depth);
  }
  return schema;
}

/** An input schema with definitions that refer to each other. The seed decides. */
export function inputSchema(seed: number): Record<string, unknown> {
  const random = randomOf(seed);
  const root = node(random, 4);
  return {
    ...(typeof root === "object" && root !== null && !Array.isArray(root) ? root : {}),
    $defs: { a: node(random, 3), b: node(random, 2) },
  };
}
