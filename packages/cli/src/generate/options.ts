import { isRecord } from "@tenon/base";
import { createNames } from "@tenon/jsonschema/typescript";
import type { Tool } from "@tenon/protocol";

import { textOf } from "../output/escape.ts";

/** An option of a generated program: one property of the input of a tool. */
export interface ToolOption {
  /** Without the dashes, such as `max-count`. */
  readonly flag: string;
  /** The name of the property. */
  readonly name: string;
  readonly kind: "string" | "number" | "integer" | "boolean" | "json";
  /** Whether each use of the option adds an item. */
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** The values that are allowed, if they are all strings. */
  readonly choices: readonly string[] | undefined;
  readonly description: string;
}

/** Options that every tool of a generated program has. */
const reserved = ["help", "header", "input", "json", "version"];

/** The options for the input of a tool, in the order of its schema. */
export function optionsOf({ inputSchema }: Tool): readonly ToolOption[] {
  const { properties, required } = inputSchema as Readonly<Record<string, unknown>>;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const flags = createNames(reserved);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
    const schema = isRecord(property) ? property : {};
    const items = isRecord(schema["items"]) ? schema["items"] : {};
    const isList = typeOf(schema) === "array" && isScalar(items);
    return {
      flag: flags.take(kebabCase(name), "option"),
      name,
      kind: kindOf(isList ? items : schema),
      isList,
      isRequired: needed.includes(name),
      choices: choicesOf(isList ? items : schema),
      description: textOf(schema["description"] ?? schema["title"])
        .replace(/\s+/g, " ")
        .trim(),
    };
  });
}

/** Words of a name with dashes between them: `maxCount` becomes `max-count`. */
export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
}

/** The type of a schema. `null` is left out, because an absent option has the same meaning. */
function typeOf({ type }: Readonly<Record<string, unknown>>): unknown {
  const types: readonly unknown[] = Array.isArray(type) ? type.filter((each) => each !== "null") : [type];
  return types.length === 1 ? types[0] : undefined;
}

function kindOf(schema: Readonly<Record<string, unknown>>): ToolOption["kind"] {
  const type = typeOf(schema) ?? (choicesOf(schema) === undefined ? undefined : "string");
  switch (type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return type as ToolOption["kind"];
    default:
      return "json";
  }
}

function isScalar(schema: Readonly<Record<string, unknown>>): boolean {
  return kindOf(schema) !== "json";
}

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const values: unknown = schema["enum"];
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string")
    ? values
    : undefined;
}
