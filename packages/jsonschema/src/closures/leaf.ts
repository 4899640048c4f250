import { followAlias, type Node } from "../ir/node.ts";
import { onlyBounds, onlyChoices, otherThanNull } from "../ir/shape.ts";
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
  /** The member it is for; of items, `""`. */
  readonly key: string;
  /** 1 for a member that is required, so that those present can be counted. */
  readonly needed: number;
  code: number;
  /** `null` is as good as what the code says. */
  nullable: boolean;
  /** Bounds of a number, or of a string's length in UTF-16 units. */
  low: number;
  high: number;
  values: ReadonlySet<unknown>;
  /** The whole check, for what the code does not decide. */
  readonly check: Check;
  /** The members that followed this one in objects seen lately. */
  next: Leaf | undefined;
  other: Leaf | undefined;
}

/** Tests a value against a leaf. Small, so that it is compiled into the loops that use it. */
export function passes(leaf: Leaf, value: unknown): boolean {
  switch (leaf.code) {
    case 1:
      return true;
    case 2:
      if (typeof value === "string") return true;
      break;
    case 3:
      if (typeof value === "number") return true;
      break;
    case 4:
      if (Number.isInteger(value)) return true;
      break;
    case 5:
      if (typeof value === "boolean") return true;
      break;
    case 6:
      if (leaf.values.has(value)) return true;
      break;
    case 7:
      if (typeof value === "string" && value.length >= leaf.low && value.length <= leaf.high) return true;
      break;
    case 8:
      if (typeof value === "number" && value >= leaf.low && value <= leaf.high) return true;
      break;
    case 9:
      if (Number.isInteger(value) && (value as number) >= leaf.low && (value as number) <= leaf.high)
        return true;
      break;
    default:
      return leaf.check(value);
  }
  return value === null ? leaf.nullable : leaf.check(value);
}

/** The leaf of a node, for the member of that name. */
export function leafOf(node: Node, compile: (node: Node) => Check, key = "", needed = 0): Leaf {
  const target = followAlias(node);
  const leaf = callLeaf(compile(target), key, needed);
  if (leaf.check === always) return leaf;
  const inner = otherThanNull(target);
  leaf.nullable = inner !== undefined;
  simplify(leaf, inner ?? target);
  return leaf;
}

/** A leaf that only calls, or lets everything pass. */
export function callLeaf(check: Check, key = "", needed = 0): Leaf {
  return {
    key,
    needed,
    code: check === always ? CODES.anything : CODES.call,
    nullable: false,
    low: 0,
    high: 0,
    values: NONE,
    check,
    next: undefined,
    other: undefined,
  };
}

const NONE: ReadonlySet<unknown> = new Set();

/** Gives the leaf a code that decides most values, if there is one for the node. */
function simplify(leaf: Leaf, node: Node): void {
  const { types, minLength, maxLength, minimum, maximum } = node;
  const choices = onlyChoices(node);
  if (choices !== undefined) {
    leaf.code = CODES.choice;
    leaf.values = new Set(choices);
  } else if (!onlyBounds(node)) return;
  else if (types === BOOLEAN) leaf.code = CODES.flag;
  else if (types === STRING) {
    const open = minLength === undefined && maxLength === undefined;
    leaf.code = open ? CODES.text : CODES.textBounds;
    // Within these bounds of the UTF-16 length, the length in code points is certain.
    leaf.low = minLength === undefined || minLength < 2 ? (minLength ?? 0) : 2 * minLength;
    leaf.high = maxLength ?? 0x3fffffff;
  } else if (types === NUMBER || types === INTEGER) {
    const open = minimum === undefined && maximum === undefined;
    if (types === NUMBER) leaf.code = open ? CODES.numeric : CODES.range;
    else leaf.code = open ? CODES.whole : CODES.wholeRange;
    leaf.low = minimum ?? -Infinity;
    leaf.high = maximum ?? Infinity;
  }
}
