import { followAlias, type Node } from "../ir/node.ts";
import { onlyBounds, onlyChoices, otherThanNull } from "../ir/shape.ts";
import { isMembers, type Members } from "../value/members.ts";
import { booleanBit, integerBit, numberBit, objectBit, stringBit } from "../value/type.ts";
import { always, never, type Check } from "./check.ts";

/** Longer names of undeclared properties are not remembered. */
const maxStranger = 64;

/** The tests that `passes` makes in place. It has the numbers written out: that keeps it small. */
const codes = {
  call: 0,
  text: 1,
  wholeRange: 2,
  range: 3,
  flag: 4,
  walk: 5,
  textBounds: 6,
  choice: 7,
  members: 8,
  anything: 9,
} as const;

/** A schema as far as loops over properties and items can test it in place. */
export interface Leaf {
  /** The property it is for; of items, `""`. */
  readonly key: string;
  /** 1 for a property that is required, so that those present can be counted. */
  readonly needed: number;
  code: number;
  /** `null` is as good as what the code says. */
  nullable: boolean;
  /** Bounds of a number, or of a string's length in UTF-16 units. */
  low: number;
  high: number;
  /** The values it may have. */
  values: readonly unknown[];
  /** The whole check, for values that the code does not decide. */
  readonly check: Check;
  /** The walk over properties, if the check is one. */
  readonly walk: Walk | undefined;
  /** The properties that followed this one in objects seen lately; itself where none did. */
  next: Leaf;
  other: Leaf;
  /**
   * A name that followed this one lately and is not declared; at first its own, which never follows
   * it.
   */
  stranger: string;
}

/** A schema for objects, as {@link walkMembers} reads it. */
export interface Walk {
  /** Stands before the first property. */
  readonly start: Leaf;
  readonly byName: ReadonlyMap<string, Leaf>;
  /** How many properties are required. */
  readonly need: number;
  /** Tests a property that is not declared; `undefined` if all pass. */
  readonly other: ((member: unknown, key: string) => boolean) | undefined;
  /** Whether values that are not objects fail. */
  readonly typed: boolean;
}

/**
 * Tests a value against a leaf. Small, so that it is compiled into the loops that use it; common
 * codes come first.
 */
export function passes(leaf: Leaf, value: unknown): boolean {
  const { code } = leaf;
  if (code < 3) {
    if (code === 1) {
      if (typeof value === "string") {
        return true;
      }
    } else if (code === 2) {
      if (Number.isInteger(value) && (value as number) >= leaf.low && (value as number) <= leaf.high) {
        return true;
      }
    }
  } else if (code < 6) {
    if (code === 3) {
      if (typeof value === "number" && value >= leaf.low && value <= leaf.high) {
        return true;
      }
    } else if (code === 4) {
      if (typeof value === "boolean") {
        return true;
      }
    } else {
      return walkMembers(leaf.walk as Walk, value) || (leaf.nullable && value === null);
    }
  } else if (code === 6) {
    if (typeof value === "string" && value.length >= leaf.low && value.length <= leaf.high) {
      return true;
    }
  } else if (code === 7) {
    if (leaf.values.includes(value)) {
      return true;
    }
  } else if (code === 8) {
    if (isMembers(value)) {
      return true;
    }
  } else {
    return true;
  }
  return value === null && leaf.nullable ? true : leaf.check(value);
}

/**
 * Walks the properties the instance has. Each remembers which two followed it lately, so for
 * objects that come in few key orders finding a property's schema takes a pointer comparison or
 * two.
 */
export function walkMembers(walk: Walk, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return !walk.typed;
  }
  const members = value as Members;
  let seen = 0;
  let current = walk.start;
  for (const key in members) {
    const member = members[key];
    const leaf = following(walk, current, key);
    if (leaf === undefined) {
      const { other } = walk;
      if (other === undefined || member === undefined || (other !== never && other(member, key))) {
        continue;
      }
      return false;
    }
    current = leaf;
    if (member === undefined) {
      continue;
    }
    seen += leaf.needed;
    if (!passes(leaf, member)) {
      return false;
    }
  }
  return seen === walk.need;
}

/**
 * The leaf of the property of that name, which follows another one; `undefined` for names that are
 * not declared.
 */
export function following(walk: Walk, current: Leaf, key: string): Leaf | undefined {
  let leaf: Leaf | undefined = current.next;
  if (leaf.key === key) {
    return leaf;
  }
  leaf = current.other;
  if (leaf.key === key) {
    return leaf;
  }
  if (current.stranger === key) {
    return undefined;
  }
  leaf = walk.byName.get(key);
  if (leaf === undefined) {
    if (key.length <= maxStranger) {
      current.stranger = key;
    }
    return undefined;
  }
  current.other = current.next;
  current.next = leaf;
  return leaf;
}

/** The check that a walk does. Loops over properties and items do it without calling this. */
export function checkOf(walk: Walk): Check {
  const check: Check = (value) => walkMembers(walk, value);
  check.walk = walk;
  return check;
}

/**
 * Links leaves of distinct names, at least one, to a walk. Objects are expected in this order
 * first.
 */
export function linkWalk(
  declared: readonly Leaf[],
  need: number,
  other: Walk["other"],
  typed: boolean,
): Walk {
  const start = callLeaf(never);
  const byName = new Map<string, Leaf>();
  start.other = declared[0] ?? start;
  let last = start;
  for (const leaf of declared) {
    byName.set(leaf.key, leaf);
    last = last.next = leaf;
  }
  // Nothing precedes the first property, so it needs a stranger of its own: any name that is not
  // declared.
  while (byName.has(start.stranger)) {
    start.stranger += "-";
  }
  return { start, byName, need, other, typed };
}

/** The leaf of a node, for the property of that name. */
export function leafOf(node: Node, compile: (node: Node) => Check, key = "", needed = 0): Leaf {
  const target = followAlias(node);
  const inner = otherThanNull(target);
  const check = compile(target);
  const walk = (inner === undefined ? check : compile(inner)).walk;
  const leaf = callLeaf(check, key, needed, walk);
  if (check === always) {
    return leaf;
  }
  leaf.nullable = inner !== undefined;
  if (walk === undefined) {
    simplify(leaf, inner ?? target);
  } else {
    leaf.code = codes.walk;
  }
  if (check.types === objectBit) {
    leaf.code = codes.members;
  }
  return leaf;
}

/** A leaf before it refers to itself. */
type Unlinked = Omit<Leaf, "next" | "other"> & Record<"next" | "other", Leaf | undefined>;

/** A leaf that only calls, or lets everything pass. */
export function callLeaf(check: Check, key = "", needed = 0, walk?: Walk): Leaf {
  const unlinked: Unlinked = {
    key,
    needed,
    code: check === always ? codes.anything : codes.call,
    nullable: false,
    low: -Infinity,
    high: Infinity,
    values: none,
    check,
    walk,
    next: undefined,
    other: undefined,
    stranger: key,
  };
  // Every leaf has the same properties in the same order, so that loops over them stay fast.
  const leaf = unlinked as Leaf;
  leaf.next = leaf.other = leaf;
  return leaf;
}

const none: readonly unknown[] = [];

/** Sets the code of a leaf that decides most values, if the node has one. */
function simplify(leaf: Leaf, node: Node): void {
  const { types, minLength, maxLength, minimum, maximum } = node;
  const choices = onlyChoices(node);
  if (choices !== undefined) {
    const [first] = choices;
    if (choices.length > 1 || typeof first !== "number") {
      leaf.code = codes.choice;
      leaf.values = choices;
    } else {
      leaf.code = codes.range;
      leaf.low = leaf.high = first;
    }
  } else if (!onlyBounds(node)) {
    return;
  } else if (types === booleanBit) {
    leaf.code = codes.flag;
  } else if (types === stringBit) {
    const open = minLength === undefined && maxLength === undefined;
    leaf.code = open ? codes.text : codes.textBounds;
    // Within these bounds of the UTF-16 length, the length in code points is certain.
    leaf.low = minLength === undefined || minLength < 2 ? (minLength ?? 0) : 2 * minLength;
    leaf.high = maxLength ?? Infinity;
  } else if (types === numberBit || types === integerBit) {
    leaf.code = types === numberBit ? codes.range : codes.wholeRange;
    leaf.low = minimum ?? -Infinity;
    leaf.high = maximum ?? Infinity;
  }
}
