import type { Node } from "../ir/node.ts";
import { deepEqual } from "../value/equal.ts";
import { codePoints, tooLong, tooShort } from "../value/length.ts";
import { multipleOf } from "../value/multiple-of.ts";
import { ANY, ARRAY, hasType, INTEGER, namesOf, NUMBER, OBJECT, STRING, typeName } from "../value/type.ts";
import { unique } from "../value/unique.ts";

/** One keyword that needs no subschema. */
export interface Assertion {
  readonly keyword: string;
  /** The JSON types of values it can fail for, as a mask. */
  readonly types: number;
  readonly test: (value: unknown) => boolean;
  readonly expected: unknown;
  /** What to show of a value that failed. */
  readonly received: (value: unknown) => unknown;
  readonly message: (received: unknown) => string;
}

const SHOWN = 64;

/** A value as far as an error may show it: primitives, strings cut at 64 characters, the type's name for the rest. */
export function shown(value: unknown): unknown {
  if (typeof value === "string") return value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  return typeof value === "object" && value !== null ? typeName(value) : value;
}

/** Renders a shown value inside a message. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

/** All assertions of a node, `type` first. */
export function assertionsOf(node: Node): Assertion[] {
  const out: Assertion[] = [];
  if (node.types !== ANY && typeof node.schema === "object") {
    const names = namesOf(node.types);
    const wanted = `expected ${names.join(" or ")}, received `;
    out.push({
      keyword: "type",
      // A whole number is a number; a number need not be whole.
      types: (node.types & INTEGER) === 0 ? ANY & ~node.types : ANY & ~(node.types & ~NUMBER),
      test: (value) => hasType(node.types, value),
      expected: names.length === 1 ? names[0] : names,
      received: typeName,
      message: (received) => `${wanted}${String(received)}`,
    });
  }
  if (node.hasConst) {
    const text = quoted(shown(node.const));
    out.push(plain("const", (value) => deepEqual(node.const, value), node.const, `expected ${text}`));
  }
  const values = node.enum;
  if (values !== undefined) {
    const list = values.slice(0, 20).map((value) => quoted(shown(value)));
    const text = `expected one of ${list.join(", ")}${values.length > 20 ? ", …" : ""}`;
    out.push(plain("enum", (value) => values.some((item) => deepEqual(item, value)), values, text));
  }
  strings(node, out);
  numbers(node, out);
  sizes(node, out);
  return out;
}

function plain(
  keyword: string,
  test: (value: unknown) => boolean,
  expected: unknown,
  text: string,
  types = ANY,
): Assertion {
  const start = `${text}, received `;
  const quote = `${start}"`;
  const message = (received: unknown): string =>
    typeof received === "string" ? `${quote + received}"` : start + String(received);
  return { keyword, types, test, expected, received: shown, message };
}

function strings(node: Node, out: Assertion[]): void {
  const { minLength, maxLength, pattern, format, content } = node;
  const add = (keyword: string, test: (text: string) => boolean, expected: unknown, text: string): void => {
    out.push(plain(keyword, (value) => typeof value !== "string" || test(value), expected, text, STRING));
  };
  const length = (keyword: string, test: (text: string) => boolean, expected: number, text: string): void => {
    const start = `expected ${text} ${expected} character${plural(expected)}, received `;
    out.push({
      keyword,
      types: STRING,
      test: (value) => typeof value !== "string" || test(value),
      expected,
      received: (value) => codePoints(value as string),
      message: (received) => start + String(received),
    });
  };
  if (minLength !== undefined)
    length("minLength", (text) => !tooShort(text, minLength), minLength, "at least");
  if (maxLength !== undefined) length("maxLength", (text) => !tooLong(text, maxLength), maxLength, "at most");
  if (pattern !== undefined)
    add("pattern", pattern.test, pattern.source, `expected a match of ${pattern.source}`);
  if (content !== undefined)
    add("contentMediaType", content.test, content.name.trim(), `expected ${content.name.trim()}`);
  if (format !== undefined) add("format", format.test, format.name, `expected the format ${format.name}`);
}

function plural(count: number): string {
  return count === 1 ? "" : "s";
}

function numbers(node: Node, out: Assertion[]): void {
  const add = (
    keyword: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
    text: string,
    test: (value: number | bigint, bound: number) => boolean,
  ): void => {
    const bound = node[keyword];
    if (bound === undefined) return;
    const passes = (value: unknown): boolean =>
      (typeof value !== "number" && typeof value !== "bigint") || test(value, bound);
    out.push(plain(keyword, passes, bound, `expected ${text} ${bound}`, NUMBER));
  };
  add("minimum", "at least", (value, bound) => value >= bound);
  add("maximum", "at most", (value, bound) => value <= bound);
  add("exclusiveMinimum", "more than", (value, bound) => value > bound);
  add("exclusiveMaximum", "less than", (value, bound) => value < bound);
  add("multipleOf", "a multiple of", multipleOf);
}

function sizes(node: Node, out: Assertion[]): void {
  const add = (keyword: string, bound: number | undefined, most: boolean, what: string, size: Size): void => {
    if (bound === undefined) return;
    out.push({
      keyword,
      types: size === itemCount ? ARRAY : OBJECT,
      test: (value) => {
        const n = size(value);
        return n === undefined || (most ? n <= bound : n >= bound);
      },
      expected: bound,
      received: size,
      message: (received) =>
        `expected at ${most ? "most" : "least"} ${bound} ${what}, received ${String(received)}`,
    });
  };
  add("minItems", node.minItems, false, "items", itemCount);
  add("maxItems", node.maxItems, true, "items", itemCount);
  add("minProperties", node.minProperties, false, "properties", memberCount);
  add("maxProperties", node.maxProperties, true, "properties", memberCount);
  if (node.uniqueItems) {
    out.push({
      keyword: "uniqueItems",
      types: ARRAY,
      test: (value) => !Array.isArray(value) || unique(value),
      expected: true,
      received: () => "equal items",
      message: () => "expected items that all differ, received equal items",
    });
  }
}

type Size = (value: unknown) => number | undefined;

function itemCount(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function memberCount(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  let count = 0;
  for (const member of Object.values(value)) if (member !== undefined) count++;
  return count;
}
