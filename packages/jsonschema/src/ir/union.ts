import {
  anyBits,
  arrayBit,
  booleanBit,
  integerBit,
  nullBit,
  numberBit,
  objectBit,
  stringBit,
  typeBit,
} from "../value/type.ts";
import { followAlias, type Node } from "./node.ts";
import { assertsOnly } from "./shape.ts";

/**
 * A property that every branch requires and pins to strings no other branch allows: its value
 * selects the branch.
 */
export interface Discriminator {
  readonly key: string;
  /** Property value → index of the branch. */
  readonly branches: ReadonlyMap<string, number>;
}

/**
 * Finds the discriminator of a union, if there is one. Branches must be of type object, or match
 * nothing else.
 */
export function discriminatorOf(union: readonly Node[]): Discriminator | undefined {
  const branches = union.map(followAlias);
  const first = branches[0];
  if (first === undefined || branches.length < 2) {
    return undefined;
  }
  if (branches.some((branch) => branch.types !== objectBit || branch.required === undefined)) {
    return undefined;
  }
  const required = branches.map((branch) => new Set(branch.required));
  for (const key of first.required ?? []) {
    const selected = new Map<string, number>();
    const selects = (branch: Node, index: number): boolean => {
      const property = branch.properties?.get(key);
      const values = property && literalsOf(followAlias(property));
      if (values === undefined || required[index]?.has(key) !== true) {
        return false;
      }
      for (const value of values) {
        if (typeof value !== "string" || selected.has(value)) {
          return false;
        }
        selected.set(value, index);
      }
      return true;
    };
    if (branches.every(selects)) {
      return { key, branches: selected };
    }
  }
  return undefined;
}

/**
 * For a union of closed objects each of which needs a property that no other branch allows: the
 * index of the branch each property name belongs to, -1 for names that several branches have.
 */
export function exclusiveMembers(union: readonly Node[]): ReadonlyMap<string, number> | undefined {
  const owners = new Map<string, number>();
  const branches = union.map(followAlias);
  for (const [index, { types, properties, patternProperties, additionalProperties }] of branches.entries()) {
    const closed = additionalProperties?.schema === false && patternProperties === undefined;
    if (types !== objectBit || !closed || properties === undefined) {
      return undefined;
    }
    for (const name of properties.keys()) {
      owners.set(name, owners.has(name) ? -1 : index);
    }
  }
  const selects = ({ required = [] }: Node, index: number): boolean =>
    required.some((name) => owners.get(name) === index);
  return branches.length > 1 && branches.every(selects) ? owners : undefined;
}

/** The values a node allows at most, if `const` or `enum` lists them. */
export function literalsOf(node: Node): readonly unknown[] | undefined {
  return node.hasConst ? [node.const] : node.enum;
}

/** The values of a union whose branches are nothing but `const`. */
export function constantsOf(union: readonly Node[]): unknown[] | undefined {
  const isConstant = (branch: Node): boolean => branch.hasConst && assertsOnly(branch, ["const"]);
  return union.every(isConstant) ? union.map((branch) => branch.const) : undefined;
}

/** Longer chains of schemas in place are taken to accept whatever their first ones do. */
const maxDepth = 256;

/**
 * Cached results of {@link acceptedTypes}: unions that share branches would compute them
 * repeatedly.
 */
const accepted = /* @__PURE__ */ new WeakMap<Node, number>();

/** The JSON types a node can accept at all, as a mask in which whole numbers count as `NUMBER`. */
export function acceptedTypes(node: Node, depth = 0): number {
  const target = followAlias(node);
  if (target.children === undefined) {
    return acceptedBy(target, depth);
  }
  let mask = accepted.get(target);
  if (mask === undefined) {
    accepted.set(target, (mask = acceptedBy(target, depth)));
  }
  return mask;
}

function acceptedBy(target: Node, depth: number): number {
  if (target.schema === false) {
    return 0;
  }
  let mask = widen(target.types);
  const literals = literalsOf(target);
  if (literals !== undefined) {
    let allowed = 0;
    for (const value of literals) {
      allowed |= widen(typeBit(value));
    }
    mask &= allowed;
  }
  if (depth > maxDepth) {
    return mask;
  }
  for (const part of [target.ref, target.dynamicRef, ...(target.allOf ?? [])]) {
    if (part !== undefined) {
      mask &= acceptedTypes(part, depth + 1);
    }
  }
  for (const union of [target.anyOf, target.oneOf]) {
    if (union !== undefined) {
      mask &= union.reduce((sum, branch) => sum | acceptedTypes(branch, depth + 1), 0);
    }
  }
  return mask;
}

function widen(mask: number): number {
  return (mask & integerBit) === 0 ? mask : (mask & ~integerBit) | numberBit;
}

/** The types in the order of {@link slotOf}. */
export const slots: readonly number[] = [nullBit, booleanBit, numberBit, stringBit, arrayBit, objectBit];

/**
 * For each JSON type, in the order of {@link slotOf}, the branches that can accept it; `undefined`
 * if types do not help.
 */
export function branchesByType(union: readonly Node[]): number[][] | undefined {
  const masks = union.map((branch) => acceptedTypes(branch));
  if (masks.every((mask) => (mask & anyBits) === anyBits)) {
    return undefined;
  }
  return slots.map((bit) => union.flatMap((_, i) => (((masks[i] ?? 0) & bit) !== 0 ? [i] : [])));
}

/** Index of a value's type in a table of {@link branchesByType}. */
export function slotOf(value: unknown): number {
  switch (typeof value) {
    case "boolean":
      return 1;
    case "number":
    case "bigint":
      return 2;
    case "string":
      return 3;
    default:
      return value === null ? 0 : Array.isArray(value) ? 4 : 5;
  }
}
