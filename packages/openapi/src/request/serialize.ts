import { isRecord } from "@tenon/base";

import type { Serialization } from "../operation/operation.ts";

/** Encodes a name or a value for its place. */
export type Encode = (text: string) => string;

/** A name and a value of a query, a cookie or a form, both encoded. */
export type Pair = readonly [name: string, value: string];

/** The text of a single value. Objects and arrays become JSON. */
export function scalarText(value: unknown): string {
  if (typeof value === "string") {
    return value;
  }
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** The delimiters between the items of an array that is not exploded, not encoded. */
export const delimiters: Readonly<Partial<Record<Serialization["style"], string>>> = {
  spaceDelimited: " ",
  pipeDelimited: "|",
  tabDelimited: "\t",
};

/** Whether a value is written: URLs and forms have no `null`. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The entries of an object. As in RFC 6570, a property without a value counts as absent. */
function entriesOf(value: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, member]) => isPresent(member));
}

/**
 * Writes a value into a path or a header.
 *
 * @param encode - Encodes each name, each value, and the delimiters that only Swagger 2.0 has
 *   here.
 * @source OpenAPI 3.1.1 §4.8.12.6; RFC 6570 §3.2.2, §3.2.5, §3.2.7
 */
export function serializeInline(
  name: string,
  value: unknown,
  { style, explode }: Pick<Serialization, "style" | "explode">,
  encode: Encode,
): string {
  const text = (one: unknown): string => encode(scalarText(one));
  const key = encode(name);
  const prefix = style === "label" ? "." : style === "matrix" ? ";" : "";
  const separator = style === "label" ? "." : style === "matrix" ? ";" : ",";
  if (Array.isArray(value)) {
    const items = value.filter(isPresent).map(text);
    if (items.length === 0) {
      return style === "matrix" ? `;${key}` : "";
    }
    if (style === "matrix") {
      return explode ? items.map((item) => matrixPair(key, item)).join("") : `;${key}=${items.join(",")}`;
    }
    const delimiter = delimiters[style];
    return `${prefix}${items.join(delimiter === undefined ? (explode ? separator : ",") : encode(delimiter))}`;
  }
  if (isRecord(value)) {
    const entries = entriesOf(value).map(([member, one]) => [encode(member), text(one)] as const);
    if (entries.length === 0) {
      return style === "matrix" ? `;${key}` : "";
    }
    if (explode) {
      const pairs = entries.map(([member, one]) =>
        style === "matrix" ? (one === "" ? member : `${member}=${one}`) : `${member}=${one}`,
      );
      return `${prefix}${pairs.join(separator)}`;
    }
    const list = entries.flat().join(",");
    return style === "matrix" ? `;${key}=${list}` : `${prefix}${list}`;
  }
  return style === "matrix" ? matrixPair(key, text(value)) : `${prefix}${text(value)}`;
}

function matrixPair(key: string, value: string): string {
  return value === "" ? `;${key}` : `;${key}=${value}`;
}

/** Maximum depth of an object in the style `deepObject`. */
const maxDeep = 16;

/**
 * Writes a value as the pairs of a query, a cookie or a form. An empty array has no pair: there is
 * no way to write it that every server reads.
 *
 * @param encode - Encodes each name and each value, and of the delimiters all but the comma.
 * @source OpenAPI 3.1.1 §4.8.12.6
 */
export function serializePairs(
  name: string,
  value: unknown,
  { style, explode }: Pick<Serialization, "style" | "explode">,
  encode: Encode,
): readonly Pair[] {
  const text = (one: unknown): string => encode(scalarText(one));
  if (style === "deepObject" && typeof value === "object" && value !== null) {
    return deepPairs(name, value, encode, 0);
  }
  const own = delimiters[style];
  const isDelimited = own !== undefined;
  const delimiter = own === undefined ? "," : encode(own);
  if (Array.isArray(value)) {
    const items = value.filter(isPresent).map(text);
    if (items.length === 0) {
      return [];
    }
    return explode ? items.map((item) => [encode(name), item]) : [[encode(name), items.join(delimiter)]];
  }
  if (isRecord(value)) {
    const entries = entriesOf(value).map(([member, one]) => [encode(member), text(one)] as const);
    if (entries.length === 0) {
      return [];
    }
    return explode && !isDelimited ? entries : [[encode(name), entries.flat().join(delimiter)]];
  }
  return [[encode(name), text(value)]];
}

/** `name[member][0]=value`, in the form that `qs`, PHP and Rails read. */
function deepPairs(name: string, value: object, encode: Encode, depth: number): readonly Pair[] {
  const members: (readonly [string, unknown])[] = Array.isArray(value)
    ? (value as unknown[]).map((item, index) => [String(index), item] as const)
    : entriesOf(value as Record<string, unknown>);
  return members.flatMap(([member, one]): readonly Pair[] => {
    const key = `${name}[${member}]`;
    return typeof one === "object" && one !== null && depth < maxDeep
      ? deepPairs(key, one, encode, depth + 1)
      : [[encode(key), encode(scalarText(one))]];
  });
}
