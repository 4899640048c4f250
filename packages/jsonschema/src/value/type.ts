import type { JSONSchemaType } from "../schema.ts";

/** JSON types as bits. `INTEGER` stands for whole numbers only; `NUMBER` includes them. */
export const NULL = 1;
export const BOOLEAN = 2;
export const NUMBER = 4;
export const STRING = 8;
export const ARRAY = 16;
export const OBJECT = 32;
export const INTEGER = 64;
/** Every JSON type. */
export const ANY: number = NULL | BOOLEAN | NUMBER | STRING | ARRAY | OBJECT;

/** The names of the types, in the order of the bits. */
const NAMES: readonly JSONSchemaType[] = [
  "null",
  "boolean",
  "number",
  "string",
  "array",
  "object",
  "integer",
];

/** The bit of a type name, or `undefined` for a name that is none. */
export function bitOf(name: unknown): number | undefined {
  const index = NAMES.indexOf(name as JSONSchemaType);
  return index < 0 ? undefined : 1 << index;
}

/** The names in a mask, in the order of the bits. */
export function namesOf(mask: number): JSONSchemaType[] {
  return NAMES.filter((_, index) => (mask & (1 << index)) !== 0);
}

/** The bit of a value's type; `INTEGER` for whole numbers, 0 for what is not JSON. */
export function typeBit(value: unknown): number {
  switch (typeof value) {
    case "string":
      return STRING;
    case "number":
      return Number.isInteger(value) ? INTEGER : NUMBER;
    case "boolean":
      return BOOLEAN;
    case "bigint":
      return INTEGER;
    case "object":
      return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT;
    default:
      return 0;
  }
}

/** True if the value's type is in the mask. */
export function hasType(mask: number, value: unknown): boolean {
  const bit = typeBit(value);
  return (mask & bit) !== 0 || (bit === INTEGER && (mask & NUMBER) !== 0);
}

/** The value's JSON type, as a word for messages. */
export function typeName(value: unknown): string {
  return value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value === "bigint"
        ? "integer"
        : typeof value;
}
