import type { JSONSchemaType } from "../schema.ts";

/** JSON types as bits. `INTEGER` contains only whole numbers; `NUMBER` includes them. */
export const nullBit = 1;
export const booleanBit = 2;
export const numberBit = 4;
export const stringBit = 8;
export const arrayBit = 16;
export const objectBit = 32;
export const integerBit = 64;
/** Every JSON type. */
export const anyBits: number = nullBit | booleanBit | numberBit | stringBit | arrayBit | objectBit;

/** The names of the types, in the order of the bits. */
const typeNames: readonly JSONSchemaType[] = [
  "null",
  "boolean",
  "number",
  "string",
  "array",
  "object",
  "integer",
];

/** The bit of a type name, or `undefined` for any other value. */
export function bitOf(name: unknown): number | undefined {
  const index = typeNames.indexOf(name as JSONSchemaType);
  return index < 0 ? undefined : 1 << index;
}

/** The names in a mask, in the order of the bits. */
export function namesOf(mask: number): JSONSchemaType[] {
  return typeNames.filter((_, index) => (mask & (1 << index)) !== 0);
}

/**
 * Returns the bit of a value's type: `INTEGER` for whole numbers, 0 for values that are not JSON.
 */
export function typeBit(value: unknown): number {
  switch (typeof value) {
    case "string":
      return stringBit;
    case "number":
      return Number.isInteger(value) ? integerBit : numberBit;
    case "boolean":
      return booleanBit;
    case "bigint":
      return integerBit;
    case "object":
      return value === null ? nullBit : Array.isArray(value) ? arrayBit : objectBit;
    default:
      return 0;
  }
}

/** True if the value's type is in the mask. */
export function hasType(mask: number, value: unknown): boolean {
  const bit = typeBit(value);
  return (mask & bit) !== 0 || (bit === integerBit && (mask & numberBit) !== 0);
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
