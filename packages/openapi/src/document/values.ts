import { isRecord } from "@tenon/base";

/** An object of a document. Readers check the types of its properties. */
export type Members = Readonly<Record<string, unknown>>;

/** The value if it is an object, otherwise an empty object. */
export function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

/** The value if it is an array, otherwise an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The value if it is a string that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The object without properties whose value is `undefined`. */
export function present(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
