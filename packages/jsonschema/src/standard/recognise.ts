import { SchemaError } from "../error.ts";
import { isMembers } from "../value/members.ts";
import { typeName } from "../value/type.ts";
import type { Class } from "./class.ts";
import type { StandardJSONSchema } from "./spec.ts";

/** The error for a class, a description or a source that makes no schema. */
export function invalid(message: string): SchemaError {
  return new SchemaError("invalid-class", "#", message);
}

/** The error for a value that is not a schema source. */
export function notASource(source: unknown): SchemaError {
  return invalid(
    `expected a kind, a class, a Standard JSON Schema or a JSON Schema, got ${typeName(source)}` +
      (source === undefined ? "; write () => Class for a class that is declared later" : ""),
  );
}

/** True for a class: unlike other functions its `prototype` cannot be replaced. */
export function isClass(value: unknown): value is Class {
  return (
    typeof value === "function" && Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false
  );
}

/** The class itself, or the one a function returns. */
export function classOf(source: Class | (() => unknown)): Class {
  const target = isClass(source) ? source : source();
  if (isClass(target)) {
    return target;
  }
  throw invalid("the function does not return a class");
}

/** True for a schema of a library that implements Standard JSON Schema; it may be a function. */
export function isStandardJSONSchema(value: unknown): value is StandardJSONSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return false;
  }
  if (!("~standard" in value)) {
    return false;
  }
  const standard = value["~standard"];
  if (isMembers(standard) && isMembers(standard["jsonSchema"])) {
    return true;
  }
  throw invalid(
    "this schema has no ~standard.jsonSchema: use zod 4.2 or later, ArkType 2.1.28 or later, or wrap it " +
      "(valibot: toStandardJsonSchema of @valibot/to-json-schema)",
  );
}
