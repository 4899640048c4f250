import { SchemaError } from "../error.ts";
import { isMembers } from "../value/members.ts";
import { bitOf } from "../value/type.ts";

/** The required type of the value of a keyword: in words, for errors, and as a test. */
export type Shape = readonly [expected: string, isValid: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === "string";

export const aNumber: Shape = ["a number", (value) => typeof value === "number" && !Number.isNaN(value)];
export const aDivisor: Shape = ["a number above 0", (value) => Number.isFinite(value) && Number(value) > 0];
export const aCount: Shape = [
  "a non-negative integer",
  (value) => Number.isInteger(value) && Number(value) >= 0,
];
export const aBoolean: Shape = ["a boolean", (value) => typeof value === "boolean"];
export const aString: Shape = ["a string", isText];
export const anArray: Shape = ["an array", Array.isArray];
export const anObject: Shape = ["an object", isMembers];
export const strings: Shape = ["an array of strings", (value) => Array.isArray(value) && value.every(isText)];
export const schemas: Shape = [
  "a non-empty array of schemas",
  (value) => Array.isArray(value) && value.length > 0,
];
export const types: Shape = [
  "a JSON type name or a list of them",
  (value) =>
    Array.isArray(value)
      ? value.length > 0 && value.every((name) => bitOf(name) !== undefined)
      : bitOf(value) !== undefined,
];

/** The error for a value that does not have the shape. */
export function malformed([expected]: Shape, keyword: string, location: string): SchemaError {
  return new SchemaError("invalid-keyword", location, `${keyword} must be ${expected}`);
}

/** The error for what stands in the place of a schema and is not one. */
export function notASchema(location: string): SchemaError {
  return new SchemaError("invalid-schema", location, "a schema must be an object or a boolean");
}
