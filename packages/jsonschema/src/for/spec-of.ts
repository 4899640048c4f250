import { isJsonObject } from "../schema.ts";
import type { StandardJSONSchema } from "../standard/spec.ts";
import { invalid } from "./metadata.ts";
import type { FieldSpec, Shape } from "./shape.ts";
import type { Class, Described } from "./source.ts";

const NOTHING: Omit<FieldSpec, "shape"> = { keywords: {}, optional: false, nullable: false };

/** The description a {@link Source} stands for. */
export function specOf(source: unknown): FieldSpec {
  if (isDescribed(source)) return source["~field"];
  return { ...NOTHING, shape: shapeOf(source) };
}

function shapeOf(source: unknown): Shape {
  // Before functions: the types of ArkType are callable.
  if (isStandardJSONSchema(source)) return { kind: "standard", source };
  if (isClass(source)) return { kind: "class", resolve: () => source };
  if (typeof source === "function") return { kind: "class", resolve: () => resolved(source()) };
  if (typeof source === "boolean" || isJsonObject(source)) return { kind: "json", schema: source };
  throw invalid(
    `expected a kind, a class, a Standard JSON Schema or a JSON Schema, got ${source === null ? "null" : typeof source}` +
      (source === undefined ? "; write () => Class for a class that is declared later" : ""),
  );
}

function resolved(target: unknown): Class {
  if (isClass(target)) return target;
  throw invalid("the function does not return a class");
}

/** True for what a kind returns. */
function isDescribed(value: unknown): value is Described {
  return typeof value === "function" && "~field" in value;
}

/** True for a class: unlike other functions its `prototype` cannot be replaced. */
function isClass(value: unknown): value is Class {
  return (
    typeof value === "function" && Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false
  );
}

/** True for a schema of a library that implements Standard JSON Schema; it may be a function. */
function isStandardJSONSchema(value: unknown): value is StandardJSONSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  if (!("~standard" in value)) return false;
  const standard = value["~standard"];
  if (isJsonObject(standard) && isJsonObject(standard["jsonSchema"])) return true;
  throw invalid(
    "this schema has no ~standard.jsonSchema: use zod 4.2 or later, ArkType 2.1.28 or later, or wrap it " +
      "(valibot: toStandardJsonSchema of @valibot/to-json-schema)",
  );
}
