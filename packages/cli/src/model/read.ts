import { isRecord } from "@tenon/base";

type Json = Readonly<Record<string, unknown>>;

/** A property that is an object, or an empty object. */
export function objectAt(value: unknown, name: string): Json {
  const member: unknown = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

/** The objects of a property that is a list. */
export function objectsAt(value: unknown, name: string): readonly Json[] {
  const member: unknown = isRecord(value) ? value[name] : undefined;
  return Array.isArray(member) ? member.filter(isRecord) : [];
}

/** A property that is a string, or an empty string. */
export function textAt(value: unknown, name: string): string {
  const member: unknown = isRecord(value) ? value[name] : undefined;
  return typeof member === "string" ? member : "";
}

/** A property that is a number, or 0. */
export function numberAt(value: unknown, name: string): number {
  const member: unknown = isRecord(value) ? value[name] : undefined;
  return typeof member === "number" ? member : 0;
}
