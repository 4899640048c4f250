import { isBase64 } from "../format/content.ts";
import { isDateTime } from "../format/date-time.ts";
import type { JSONSchemaObject } from "../schema.ts";
import { describeField } from "./decorator.ts";
import type { Kind, TextKeywords } from "./scalar.ts";
import type { Codec } from "./shape.ts";

const integer = "^-?(0|[1-9][0-9]*)$";

/** A `Date`; on the wire a string with `format: date-time` (RFC 3339). */
export const date: Kind<Date, TextKeywords> = text<Date>(
  { type: "string", format: "date-time" },
  {
    expected: "a date and time as in RFC 3339, for example 2026-01-31T12:00:00Z",
    decode: decodeDate,
    accepts: (value) => value instanceof Date && isDateTime(textOf(value)),
    encode: (value) => textOf(value as Date),
  },
);

/** A `URL`; on the wire a string with `format: uri`. */
export const url: Kind<URL, TextKeywords> = text<URL>(
  { type: "string", format: "uri" },
  {
    expected: "an absolute URL",
    decode: (value) => (URL.canParse(value) ? new URL(value) : undefined),
    accepts: (value) => value instanceof URL,
    encode: (value) => (value as URL).href,
  },
);

/**
 * A `Uint8Array`; on the wire a string with `contentEncoding: base64` (RFC 4648 §4, with padding).
 */
export const bytes: Kind<Uint8Array, TextKeywords> = text<Uint8Array>(
  { type: "string", contentEncoding: "base64" },
  {
    expected: "base64 with padding",
    decode: (value) => (isBase64(value) ? decodeBase64(value) : undefined),
    accepts: (value) => value instanceof Uint8Array,
    encode: (value) => encodeBase64(value as Uint8Array),
  },
);

/**
 * A `bigint`; in JSON a string of decimal digits, because most parsers round JSON numbers beyond
 * 2^53. At most 1024 characters, unless `maxLength` is set: parsing time grows with the square of
 * the length.
 */
export const bigint: Kind<bigint, TextKeywords> = text<bigint>(
  { type: "string", pattern: integer, maxLength: 1024 },
  {
    expected: "a whole number in decimal digits",
    decode: (value) => (new RegExp(integer).test(value) ? BigInt(value) : undefined),
    accepts: (value) => typeof value === "bigint",
    encode: String,
  },
);

function text<V>(schema: JSONSchemaObject, codec: Codec): Kind<V, TextKeywords> {
  return (description, options) => describeField({ kind: "text", schema, codec }, description, options);
}

// A leap second becomes the second that follows it.
function decodeDate(value: string): Date | undefined {
  if (!isDateTime(value)) {
    return undefined;
  }
  const leap = value.slice(17, 19) === "60";
  const date = new Date(leap ? `${value.slice(0, 17)}59${value.slice(19)}` : value.toUpperCase());
  return leap ? new Date(Math.floor(date.getTime() / 1000 + 1) * 1000) : date;
}

/**
 * The ISO 8601 form of a date, empty for an invalid date. If the year has more than four digits,
 * the result is not valid RFC 3339.
 */
function textOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

function decodeBase64(value: string): Uint8Array {
  const binary = atob(value);
  const decoded = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) {
    decoded[i] = binary.charCodeAt(i);
  }
  return decoded;
}

function encodeBase64(value: Uint8Array): string {
  // In pieces: a call has a limited number of arguments.
  let binary = "";
  for (let i = 0; i < value.length; i += 8192) {
    binary += String.fromCharCode(...value.subarray(i, i + 8192));
  }
  return btoa(binary);
}
