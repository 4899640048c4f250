import { isRecord } from "@tenon/jsonrpc2/transport";

import { canonical } from "../../policy/pins.ts";
import { inlineRefs, type Schema } from "./inline-refs.ts";

const combinators = ["oneOf", "anyOf", "allOf"] as const;

/**
 * A schema whose root is as vendors demand: it says `type: object`, and has no `$ref`, `oneOf`,
 * `anyOf`, `allOf`, `enum`, `const` or `not`. Vendors take `if`, `then` and `else`, which tell a
 * model more than their absence would. The properties that the branches of such a root name are all
 * there, each as any of the branches that name it has it, and required is what every branch
 * requires: it may allow more than the server does.
 */
export function objectSchema(schema: Schema): Schema & { readonly type: "object" } {
  const isPlain = schema["$ref"] === undefined && combinators.every((name) => schema[name] === undefined);
  const { enum: _, const: __, not: ___, ...root } = merged(isPlain ? schema : inlineRefs(schema));
  return { ...root, type: "object", properties: root["properties"] ?? {} };
}

/**
 * A schema of one level: the constraints of its `allOf` combined, and the alternatives of its
 * `oneOf` and `anyOf` combined.
 */
function merged(schema: Schema): Schema {
  const { oneOf, anyOf, allOf, ...rest } = schema;
  let sum: Schema = rest;
  for (const branch of branchesOf(allOf)) {
    sum = join(sum, branch, requiredOf(branch));
  }
  for (const union of [oneOf, anyOf]) {
    const branches = branchesOf(union);
    const common = requiredOf(branches[0]).filter((name) =>
      branches.every((branch) => requiredOf(branch).includes(name)),
    );
    for (const branch of branches) {
      sum = join(sum, branch, common);
    }
  }
  return sum;
}

function branchesOf(list: unknown): Schema[] {
  return Array.isArray(list) ? list.filter(isRecord).map(merged) : [];
}

function requiredOf(schema: Schema | undefined): readonly unknown[] {
  const required = schema?.["required"];
  return Array.isArray(required) ? required : [];
}

function join(one: Schema, other: Schema, required: readonly unknown[]): Schema {
  const properties = new Map(Object.entries(isRecord(one["properties"]) ? one["properties"] : {}));
  for (const [name, property] of Object.entries(isRecord(other["properties"]) ? other["properties"] : {})) {
    properties.set(name, properties.has(name) ? either(properties.get(name), property) : property);
  }
  const all = [...new Set([...requiredOf(one), ...required])];
  return {
    ...one,
    ...(properties.size === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(all.length === 0 ? {} : { required: all }),
  };
}

/** Combines the schemas of one property in two branches. */
function either(one: unknown, other: unknown): unknown {
  const known = isRecord(one) && Object.keys(one).join() === "anyOf" ? (one["anyOf"] as unknown[]) : [one];
  const isKnown = known.some((schema) => canonical(schema) === canonical(other));
  return isKnown ? one : { anyOf: [...known, other] };
}
