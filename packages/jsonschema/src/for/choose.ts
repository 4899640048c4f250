import type { Class } from "../standard/class.ts";
import { deepEqual } from "../value/equal.ts";
import { has, isMembers, type Members } from "../value/members.ts";
import { bitOf, hasType } from "../value/type.ts";
import { classSpecOf, fieldsOf } from "./metadata.ts";
import type { FieldSpec, Shape } from "./shape.ts";

/**
 * Chooses the branch of a union that encodes a value: a text format that accepts it, else the most
 * derived class that it is an instance of. For a plain object: the class with all its properties
 * and the fewest missing.
 */
export function chooseBranch(branches: readonly FieldSpec[], value: unknown): FieldSpec | undefined {
  const own = branches.filter(({ shape }) => isOf(shape, value));
  return (
    own.find((branch) => !own.some((other) => isDerived(other.shape, branch.shape))) ?? like(branches, value)
  );
}

function isOf(shape: Shape, value: unknown): boolean {
  return shape.kind === "class"
    ? value instanceof shape.resolve()
    : shape.kind === "text" && shape.codec.accepts(value);
}

function isDerived(shape: Shape, from: Shape): boolean {
  return (
    shape.kind === "class" && from.kind === "class" && shape.resolve().prototype instanceof from.resolve()
  );
}

function like(branches: readonly FieldSpec[], value: unknown): FieldSpec | undefined {
  if (!isMembers(value)) {
    return undefined;
  }
  let best: FieldSpec | undefined;
  let fewest = Infinity;
  for (const branch of branches) {
    const missing = branch.shape.kind === "class" ? missingIn(branch.shape.resolve(), value) : Infinity;
    if (missing >= fewest) {
      continue;
    }
    fewest = missing;
    best = branch;
  }
  return best;
}

/**
 * How many fields of the class an object lacks; infinitely many if it has something that the class
 * does not take.
 */
function missingIn(target: Class, value: Members): number {
  const fields = fieldsOf(target);
  const present = fields.filter(({ key }) => has(value, key));
  const closed = classSpecOf(target)?.additionalProperties !== true;
  const others = Object.keys(value).filter((key) => has(value, key)).length - present.length;
  if ((closed && others > 0) || !present.every(({ key, spec }) => mayHold(spec, value[key]))) {
    return Infinity;
  }
  return fields.length - present.length;
}

function mayHold({ shape, nullable }: FieldSpec, value: unknown): boolean {
  if (value === null) {
    return nullable || shape.kind === "json" || shape.kind === "union";
  }
  switch (shape.kind) {
    case "text":
      return shape.codec.accepts(value);
    case "array":
      return Array.isArray(value);
    case "class":
    case "map":
      return isMembers(value);
    case "json": {
      if (typeof shape.schema === "boolean") {
        return shape.schema;
      }
      const { type, enum: values, const: constant = value } = shape.schema;
      const listed = values === undefined || values.some((each) => deepEqual(each, value));
      return listed && deepEqual(constant, value) && hasType(bitOf(type) ?? -1, value);
    }
    default:
      return true;
  }
}
