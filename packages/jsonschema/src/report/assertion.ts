import { always } from "../closures/check.ts";
import { constCheck, enumCheck } from "../closures/scalar.ts";
import type { Node } from "../ir/node.ts";
import { slots, slotOf } from "../ir/union.ts";
import { codePoints } from "../value/length.ts";
import { multipleOf } from "../value/multiple-of.ts";
import {
  anyBits,
  arrayBit,
  hasType,
  integerBit,
  namesOf,
  numberBit,
  objectBit,
  stringBit,
  typeName,
} from "../value/type.ts";

/** One keyword that needs no subschema. */
export interface Assertion {
  readonly keyword: string;
  /** The JSON types of values it can fail for, as a mask that may have `OTHER` in it. */
  readonly types: number;
  /**
   * The comparison of a value's size with the bound: the index of one of `RELATIONS`; 0 if `test`
   * decides.
   */
  readonly relation: number;
  readonly bound: number;
  readonly test: (value: never) => boolean;
  readonly expected: unknown;
  /** The message up to the received value. */
  readonly text: string;
  /**
   * The description of the received value, if it does not depend on the value, or is the name of
   * its type.
   */
  readonly received: ((value: unknown) => string) | undefined;
}

/** Represents values that are not JSON, in addition to the JSON types. */
const otherBit = 128;

/** The masks of the types, in the order of {@link kindOf}. */
export const kinds: readonly number[] = [...slots, otherBit];

/** The index of a value's type in a table. */
export function kindOf(value: unknown): number {
  const slot = slotOf(value);
  return slot === slots.length - 1 && typeof value !== "object" ? slots.length : slot;
}

const maxShown = 64;

/**
 * A value as far as an error may show it: primitives, strings cut at 64 characters, the type's name
 * for the rest.
 */
export function shown(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
  }
  return typeof value === "object" && value !== null ? typeName(value) : value;
}

/** Formats a value of the schema for a message: the value that a model should send instead. */
function told(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return quoted(shown(value));
  }
  try {
    const text = JSON.stringify(value);
    return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  } catch {
    // A schema that is no JSON: it contains itself, or a bigint.
    return quoted(shown(value));
  }
}

/** Renders a shown value inside a message. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

/**
 * The quantity that bounds limit: a number itself, the length of a string, how many items or
 * properties there are.
 */
function sizeOf(value: unknown): number | bigint {
  if (typeof value === "string") {
    return codePoints(value);
  }
  if (typeof value !== "object" || value === null) {
    return value as number | bigint;
  }
  if (Array.isArray(value)) {
    return value.length;
  }
  let count = 0;
  for (const member of Object.values(value)) {
    if (member !== undefined) {
      count++;
    }
  }
  return count;
}

/** The result of {@link faultOf} for a value that conforms. */
export const none: unique symbol = Symbol("none");

/**
 * The description of a value of one of the assertion's types that does not conform; {@link none} if
 * it does.
 */
export function faultOf(assertion: Assertion, value: unknown): unknown {
  const { relation, bound, test } = assertion;
  if (relation === 0) {
    return test(value as never) ? none : receivedOf(assertion, value);
  }
  const size = sizeOf(value);
  const conforms =
    relation === 1
      ? size >= bound
      : relation === 2
        ? size <= bound
        : relation === 3
          ? size > bound
          : size < bound;
  return conforms ? none : size;
}

/** The description of a value that does not conform. */
export function receivedOf({ relation, received }: Assertion, value: unknown): unknown {
  if (relation !== 0) {
    return sizeOf(value);
  }
  return received === undefined ? shown(value) : received(value);
}

/** The complete message for a received value. */
export function messageOf({ text, received }: Assertion, met: unknown): string {
  if (typeof met === "number") {
    return text + met;
  }
  return text + (received === undefined ? quoted(met) : (met as string));
}

const relations = ["", "at least", "at most", "more than", "less than"];

const bounds = [
  ["minLength", stringBit, 1, " character"],
  ["maxLength", stringBit, 2, " character"],
  ["minimum", numberBit, 1, ""],
  ["maximum", numberBit, 2, ""],
  ["exclusiveMinimum", numberBit, 3, ""],
  ["exclusiveMaximum", numberBit, 4, ""],
  ["minItems", arrayBit, 1, " items"],
  ["maxItems", arrayBit, 2, " items"],
  ["minProperties", objectBit, 1, " properties"],
  ["maxProperties", objectBit, 2, " properties"],
] as const;

/** All assertions of a node, `type` first. */
export function assertionsOf(node: Node): Assertion[] {
  const out: Assertion[] = [];
  const add = (
    keyword: string,
    types: number,
    expected: unknown,
    wanted: string,
    test: (value: never) => boolean,
    received?: (value: unknown) => string,
    relation = 0,
    bound = 0,
  ): void => {
    const text = `expected ${wanted}, received `;
    out.push({ keyword, types, relation, bound, test, expected, text, received });
  };

  const { types, enum: values, multipleOf: divisor, pattern, content, format } = node;
  if (types !== anyBits && typeof node.schema === "object") {
    const names = namesOf(types);
    // A whole number is a number; a number need not be whole.
    const fails = (types & integerBit) === 0 ? anyBits & ~types : anyBits & ~(types & ~numberBit);
    const expected = names.length === 1 ? names[0] : names;
    add("type", fails | otherBit, expected, names.join(" or "), (value) => hasType(types, value), typeName);
  }
  if (node.hasConst) {
    add("const", anyBits | otherBit, node.const, told(node.const), constCheck(node.const));
  }
  if (values !== undefined) {
    const list = values.slice(0, 20).map(told);
    const more = values.length > 20 ? ", …" : "";
    add("enum", anyBits | otherBit, values, `one of ${list.join(", ")}${more}`, enumCheck(values));
  }
  for (const [keyword, types, relation, unit] of bounds) {
    const bound = node[keyword];
    if (bound === undefined) {
      continue;
    }
    const text = `${relations[relation]} ${bound}${unit}${types === stringBit && bound !== 1 ? "s" : ""}`;
    add(keyword, types, bound, text, always, undefined, relation, bound);
  }
  if (divisor !== undefined) {
    const test = (value: number | bigint): boolean => multipleOf(value, divisor);
    add("multipleOf", numberBit, divisor, `a multiple of ${divisor}`, test);
  }
  if (node.uniqueItems !== undefined) {
    add("uniqueItems", arrayBit, true, "items that all differ", node.uniqueItems, () => "equal items");
  }
  if (pattern !== undefined) {
    add("pattern", stringBit, pattern.source, `a match of ${pattern.source}`, pattern.test);
  }
  if (content !== undefined) {
    const name = content.name.trim();
    add("contentMediaType", stringBit, name, name, content.test);
  }
  if (format !== undefined) {
    add("format", stringBit, format.name, `the format ${format.name}`, format.test);
  }
  return out;
}
