import type { Node } from "../ir/node.ts";
import { deepEqual } from "../value/equal.ts";
import { tooLong, tooShort } from "../value/length.ts";
import { isMembers } from "../value/members.ts";
import { multipleOf } from "../value/multiple-of.ts";
import { hasType, integerBit, objectBit, stringBit } from "../value/type.ts";
import { every, some, type Check } from "./check.ts";

/** The check of a type mask that is not all types. */
export function typeCheck(mask: number): Check {
  const check: Check =
    mask === stringBit
      ? (value) => typeof value === "string"
      : mask === objectBit
        ? (value) => isMembers(value)
        : (value) => hasType(mask, value);
  check.types = mask;
  return check;
}

/** `const`: identity where that is JSON equality. A `bigint` may be equal to a number. */
export function constCheck(expected: unknown): Check {
  if (typeof expected === "string" || typeof expected === "boolean" || expected === null) {
    return (value) => value === expected;
  }
  return (value) => deepEqual(expected, value);
}

/** `enum`: a look into a set, unless there are values to compare as JSON. */
export function enumCheck(values: readonly unknown[]): Check {
  if (values.some((value) => (typeof value === "object" && value !== null) || typeof value === "bigint")) {
    return some(values.map(constCheck));
  }
  const set = new Set(values);
  return (value) =>
    set.has(value) ||
    (typeof value === "bigint" && set.has(Number(value)) && BigInt(Number(value)) === value);
}

/**
 * The keywords for strings; `undefined` if the node has none. Other values pass, unless `typed`.
 */
export function stringCheck(node: Node, typed: boolean): Check | undefined {
  const { minLength = 0, maxLength, pattern } = node;
  const tests: ((value: string) => boolean)[] = [];
  if (minLength > 0) {
    tests.push((value) => !tooShort(value, minLength));
  }
  if (maxLength !== undefined) {
    tests.push((value) => !tooLong(value, maxLength));
  }
  for (const keyword of [pattern, node.format, node.content]) {
    if (keyword !== undefined) {
      tests.push(keyword.test);
    }
  }
  if (tests.length === 0) {
    return undefined;
  }
  const test = every(tests as Check[]);
  return (value) => (typeof value === "string" ? test(value) : !typed);
}

/**
 * The keywords for numbers; `undefined` if the node has none. `type` is the type to test as well,
 * or 0.
 */
export function numberCheck(node: Node, type: number): Check | undefined {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: divisor } = node;
  const open = above !== undefined || below !== undefined || divisor !== undefined;
  if (!open && minimum === undefined && maximum === undefined) {
    return undefined;
  }
  const low = minimum ?? -Infinity;
  const high = maximum ?? Infinity;
  const inRange = (value: number | bigint): boolean =>
    value >= low &&
    value <= high &&
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (divisor === undefined || multipleOf(value, divisor));
  if (type === integerBit) {
    return (value) => hasType(type, value) && inRange(value as number | bigint);
  }
  return (value) => (typeof value === "number" || typeof value === "bigint" ? inRange(value) : type === 0);
}
