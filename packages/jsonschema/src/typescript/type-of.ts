import { followAlias, type Node } from "../ir/node.ts";
import {
  anyBits,
  arrayBit,
  booleanBit,
  hasType,
  integerBit,
  nullBit,
  numberBit,
  objectBit,
  stringBit,
} from "../value/type.ts";
import {
  atom,
  intersection,
  isUnknown,
  neverType,
  union,
  unknownType,
  type Expression,
} from "./expression.ts";
import { arrayType, shapesArrays } from "./items.ts";
import { anyArray, anyObject, literalType } from "./literal-type.ts";
import { objectType, shapesObjects } from "./members.ts";

/** Names the declaration of a node. @param hint - A name for it, if it has none of its own. */
export type NameOf = (node: Node, hint: string) => string;

interface Position {
  /** The types of JSON that the schema around this one allows for the same value. */
  readonly mask: number;
  readonly depth: number;
  readonly hint: string;
}

/** Depth at which a type gets a declaration of its own. */
const maxDepth = 16;
/** Maximum number of values of an `enum` that are written one by one. */
const maxValues = 1000;

/**
 * Writes the type of the values that a schema allows. No value is left out: where TypeScript cannot
 * express a keyword, the type allows more.
 */
export function typeOf(node: Node, nameOf: NameOf): Expression {
  return typeAt(node, nameOf, { mask: anyBits, depth: 0, hint: "" });
}

function typeAt(node: Node, nameOf: NameOf, position: Position): Expression {
  const { depth, hint } = position;
  if (depth >= maxDepth && !isSimple(followAlias(node))) {
    return atom(nameOf(node, hint));
  }
  if (node.alias === undefined) {
    return typeHere(node, nameOf, position);
  }
  return node.allOf === undefined
    ? typeOfTarget(node.alias, nameOf, position)
    : typeAt(node.alias, nameOf, { ...position, depth: depth + 1 });
}

/** The type of the target of a reference: its name, unless the type is as short. */
function typeOfTarget(target: Node, nameOf: NameOf, position: Position): Expression {
  const end = followAlias(target);
  return isSimple(end) ? typeHere(end, nameOf, position) : atom(nameOf(target, position.hint));
}

/** Whether the type of a node is at most a union of keywords. */
function isSimple(node: Node): boolean {
  const isPlain = node.inPlace === undefined && node.enum === undefined && !node.hasConst;
  return isPlain && !shapesObjects(node) && !shapesArrays(node);
}

function typeHere(node: Node, nameOf: NameOf, position: Position): Expression {
  const bits = withoutIntegers(node.types) & position.mask;
  if (bits === 0) {
    return neverType;
  }
  const below = { ...position, mask: bits, depth: position.depth + 1 };
  const part = (inner: Node): Expression => typeAt(inner, nameOf, below);
  const parts = (node.allOf ?? []).map(part);
  for (const target of [node.ref, node.dynamicRef]) {
    if (target !== undefined) {
      parts.push(typeOfTarget(target, nameOf, below));
    }
  }
  for (const branches of [node.anyOf, node.oneOf]) {
    if (branches !== undefined) {
      parts.push(union(branches.map(part)));
    }
  }
  if (node.if !== undefined && node.then !== undefined && node.else !== undefined) {
    parts.push(union([part(node.then), part(node.else)]));
  }
  const own = ownType(node, nameOf, bits, position);
  const others = intersection(parts);
  return own.isPlain && !isUnknown(others) ? others : intersection([own.type, others]);
}

/**
 * The type that the keywords of a schema itself describe. @returns With `isPlain` if it says only
 * which types of JSON are allowed.
 */
function ownType(
  node: Node,
  nameOf: NameOf,
  bits: number,
  { mask, depth, hint }: Position,
): { readonly type: Expression; readonly isPlain: boolean } {
  const values = node.hasConst ? [node.const] : node.enum;
  if (values !== undefined && values.length <= maxValues) {
    return {
      type: union(values.filter((value) => hasType(bits, value)).map((value) => literalType(value))),
      isPlain: false,
    };
  }
  const inner = (part: Node, name: string): Expression =>
    typeAt(part, nameOf, { mask: anyBits, depth: depth + 1, hint: `${hint} ${name}` });
  const hasObjects = (bits & objectBit) !== 0 && shapesObjects(node);
  const hasArrays = (bits & arrayBit) !== 0 && shapesArrays(node);
  if (bits === anyBits || (bits === mask && !hasObjects && !hasArrays)) {
    return { type: unknownType, isPlain: true };
  }
  const objects = hasObjects ? objectType(node, inner) : anyObject;
  const arrays = hasArrays ? arrayType(node, inner) : anyArray;
  return { type: typeOfBits(bits, objects, arrays), isPlain: !hasObjects && !hasArrays };
}

function typeOfBits(bits: number, objects: Expression, arrays: Expression): Expression {
  const types: readonly (readonly [bit: number, type: Expression])[] = [
    [stringBit, atom("string")],
    [numberBit, atom("number")],
    [booleanBit, atom("boolean")],
    [objectBit, objects],
    [arrayBit, arrays],
    [nullBit, atom("null")],
  ];
  return union(types.flatMap(([bit, type]) => ((bits & bit) === 0 ? [] : [type])));
}

function withoutIntegers(bits: number): number {
  return (bits & integerBit) === 0 ? bits & anyBits : (bits & anyBits) | numberBit;
}
