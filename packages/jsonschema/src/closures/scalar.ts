import type { Node } from "../ir/node.ts";
import { deepEqual } from "../value/equal.ts";
import { tooLong, tooShort } from "../value/length.ts";
import { multipleOf } from "../value/multiple-of.ts";
import { ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, OBJECT, STRING } from "../value/type.ts";
import {
  isArray,
  isBoolean,
  isInteger,
  isNull,
  isNumber,
  isObject,
  isString,
  some,
  type Check,
} from "./check.ts";

const TYPE_CHECKS: readonly (readonly [bit: number, check: Check])[] = [
  [STRING, isString],
  [NUMBER, isNumber],
  [INTEGER, isInteger],
  [BOOLEAN, isBoolean],
  [OBJECT, isObject],
  [ARRAY, isArray],
  [NULL, isNull],
];

/** The check of a type mask that is not all types. */
export function typeCheck(mask: number): Check {
  return some(TYPE_CHECKS.filter(([bit]) => (mask & bit) !== 0).map(([, check]) => check));
}

/** `const`: identity for primitives, JSON equality for the rest. */
export function constCheck(expected: unknown): Check {
  if (typeof expected === "object" && expected !== null) return (value) => deepEqual(expected, value);
  return (value) => value === expected;
}

/** `enum`, specialised by size for primitives. */
export function enumCheck(values: readonly unknown[]): Check {
  if (values.some((value) => typeof value === "object" && value !== null))
    return some(values.map(constCheck));
  const [a, b, c, d] = values;
  switch (values.length) {
    case 0:
      return () => false;
    case 1:
      return (value) => value === a;
    case 2:
      return (value) => value === a || value === b;
    case 3:
      return (value) => value === a || value === b || value === c;
    case 4:
      return (value) => value === a || value === b || value === c || value === d;
    default: {
      const set = new Set(values);
      return (value) => set.has(value);
    }
  }
}

/** The keywords for strings; `undefined` if the node has none. Other values pass, unless `typed`. */
export function stringCheck(node: Node, typed: boolean): Check | undefined {
  const { minLength = 0, maxLength, pattern } = node;
  const tests: ((value: string) => boolean)[] = [];
  if (minLength === 1) tests.push((value) => value.length !== 0);
  else if (minLength > 1) tests.push((value) => !tooShort(value, minLength));
  if (maxLength !== undefined) tests.push((value) => !tooLong(value, maxLength));
  if (pattern !== undefined) tests.push(pattern.test);
  if (node.format !== undefined) tests.push(node.format.test);
  if (node.content !== undefined) tests.push(node.content.test);
  const [a, b] = tests;
  if (a === undefined) return undefined;
  if (b === undefined) {
    if (minLength === 1) return (value) => (typeof value === "string" ? value.length !== 0 : !typed);
    return (value) => (typeof value === "string" ? a(value) : !typed);
  }
  if (tests.length === 2) return (value) => (typeof value === "string" ? a(value) && b(value) : !typed);
  return (value) => {
    if (typeof value !== "string") return !typed;
    for (let i = 0; i < tests.length; i++) if (tests[i]?.(value) === false) return false;
    return true;
  };
}

/** The keywords for numbers; `undefined` if the node has none. `type` is the type to test as well, or 0. */
export function numberCheck(node: Node, type: number): Check | undefined {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: divisor } = node;
  const open = above !== undefined || below !== undefined || divisor !== undefined;
  if (!open && minimum === undefined && maximum === undefined) return undefined;
  const low = minimum ?? -Infinity;
  const high = maximum ?? Infinity;
  const inRange = (value: number | bigint): boolean =>
    value >= low &&
    value <= high &&
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (divisor === undefined || multipleOf(value, divisor));
  if (type === INTEGER) return (value) => isInteger(value) && inRange(value as number | bigint);
  return (value) => (typeof value === "number" || typeof value === "bigint" ? inRange(value) : type === 0);
}
