import { followAlias, type Node } from "../ir/node.ts";
import { onlyChoices, onlyLengths, onlyRange, onlyType, otherThanNull } from "../ir/shape.ts";
import { BOOLEAN, INTEGER, NUMBER, STRING } from "../value/type.ts";
import { always, type Check } from "./check.ts";

/** What `passes` tests in place. The numbers are written out there: only then does the engine make a jump table. */
const CODES = {
  call: 0,
  anything: 1,
  text: 2,
  numeric: 3,
  whole: 4,
  flag: 5,
  choice: 6,
  textBounds: 7,
  range: 8,
  wholeRange: 9,
} as const;

/** A schema as far as loops over members and items can test it in place. */
export interface Leaf {
  readonly code: number;
  readonly nullable: boolean;
  /** Bounds of a number, or of a string's length in UTF-16 units. */
  readonly low: number;
  readonly high: number;
  readonly values: readonly unknown[];
  /** The whole check, for what the code does not decide. */
  readonly check: Check;
}

/** Tests a value against a leaf. Small, so that it is compiled into the loops that use it. */
export function passes(leaf: Leaf, value: unknown): boolean {
  switch (leaf.code) {
    case 1:
      return true;
    case 2:
      return typeof value === "string" || (value === null && leaf.nullable);
    case 3:
      return typeof value === "number" || leaf.check(value);
    case 4:
      return Number.isInteger(value) || leaf.check(value);
    case 5:
      return typeof value === "boolean" || (value === null && leaf.nullable);
    case 6:
      return listed(leaf.values, value) || (value === null && leaf.nullable);
    case 7:
      return (
        (typeof value === "string" && value.length >= leaf.low && value.length <= leaf.high) ||
        leaf.check(value)
      );
    case 8:
      return (typeof value === "number" && value >= leaf.low && value <= leaf.high) || leaf.check(value);
    case 9:
      return (
        (Number.isInteger(value) && (value as number) >= leaf.low && (value as number) <= leaf.high) ||
        leaf.check(value)
      );
    default:
      return leaf.check(value);
  }
}

function listed(values: readonly unknown[], value: unknown): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] === value) return true;
  return false;
}

/** The leaf of a node. */
export function leafOf(node: Node, compile: (node: Node) => Check): Leaf {
  const target = followAlias(node);
  const check = compile(target);
  if (check === always) return leaf(CODES.anything, false, check);
  const inner = otherThanNull(target);
  return simpleLeaf(inner ?? target, inner !== undefined, check) ?? leaf(CODES.call, false, check);
}

/** A leaf that only calls, or lets everything pass. */
export function callLeaf(check: Check): Leaf {
  return leaf(check === always ? CODES.anything : CODES.call, false, check);
}

function simpleLeaf(node: Node, nullable: boolean, check: Check): Leaf | undefined {
  const { types, minLength, maxLength, minimum, maximum } = node;
  if (node.fuel > 0) return undefined;
  if (types === BOOLEAN && onlyType(node)) return leaf(CODES.flag, nullable, check);
  if (types === STRING && onlyLengths(node)) {
    if (minLength === undefined && maxLength === undefined) return leaf(CODES.text, nullable, check);
    // Within these bounds of the UTF-16 length, the length in code points is certain.
    const low = minLength === undefined || minLength < 2 ? minLength : 2 * minLength;
    return leaf(CODES.textBounds, nullable, check, low ?? 0, maxLength ?? 0x3fffffff);
  }
  if ((types === NUMBER || types === INTEGER) && onlyRange(node)) {
    const open = minimum === undefined && maximum === undefined;
    if (open) return leaf(types === NUMBER ? CODES.numeric : CODES.whole, nullable, check);
    const code = types === NUMBER ? CODES.range : CODES.wholeRange;
    return leaf(code, nullable, check, minimum ?? -Infinity, maximum ?? Infinity);
  }
  const choices = onlyChoices(node);
  return choices === undefined ? undefined : leaf(CODES.choice, nullable, check, 0, 0, choices);
}

const NONE: readonly unknown[] = [];

function leaf(code: number, nullable: boolean, check: Check, low = 0, high = 0, values = NONE): Leaf {
  return { code, nullable, low, high, values, check };
}
