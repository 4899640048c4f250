import type { Class } from "../standard/class.ts";
import { classOf, isStandardJSONSchema, notASource } from "../standard/recognise.ts";
import { isMembers } from "../value/members.ts";
import type { FieldSpec, Shape } from "./shape.ts";
import type { Described } from "./source.ts";

const nothing: Omit<FieldSpec, "shape"> = { keywords: {}, optional: false, nullable: false };

/** Returns the description in a {@link Source}. */
export function specOf(source: unknown): FieldSpec {
  if (isDescribed(source)) {
    return source["~field"];
  }
  return { ...nothing, shape: shapeOf(source) };
}

function shapeOf(source: unknown): Shape {
  // Before functions: the types of ArkType are callable.
  if (isStandardJSONSchema(source)) {
    return { kind: "standard", source };
  }
  if (typeof source === "function") {
    return { kind: "class", resolve: () => classOf(source as Class) };
  }
  if (typeof source === "boolean" || isMembers(source)) {
    return { kind: "json", schema: source };
  }
  throw notASource(source);
}

/** Whether a value was returned by one of the functions for fields. */
function isDescribed(value: unknown): value is Described {
  return typeof value === "function" && "~field" in value;
}
