import { isRecord } from "@tenon/base";
import type { ResolvedSchema, Source } from "@tenon/jsonschema/core";
import { resolveSchema } from "@tenon/jsonschema/lazy";
import type { PromptArgument } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { defined } from "../../../base/values.ts";
import { isRawShape } from "../../misplaced.ts";
import { resolveOrRefuse } from "../../resolve-schema.ts";

/** Makes a value of the text of an argument. */
export type TextReader = (text: string) => unknown;

/** A prompt's arguments as they are listed, and how each is read. */
export interface ReadArguments {
  readonly list: readonly PromptArgument[];
  readonly readers: ReadonlyMap<string, TextReader>;
  /** Checks all of them, if they are described by a schema. */
  readonly schema: ResolvedSchema | undefined;
  /** Completions for the properties of a schema that are an `enum` of strings. */
  readonly suggestions: Readonly<Record<string, readonly string[]>>;
}

const asText: TextReader = (text) => text;

/** Reads a value that is not text, such as `12`, `true` or `["a"]`. */
const asJson: TextReader = (text) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The value stays a string, so that the error of the validation states the expected type.
    return text;
  }
};

/**
 * The arguments of a definition, from a list of them or from a schema.
 *
 * @throws `McpError` `INVALID_DEFINITION`.
 */
export function argumentsOf(given: unknown, where: string): ReadArguments {
  const schema = given === undefined || Array.isArray(given) ? undefined : resolved(given, where);
  const properties = schema === undefined ? {} : propertiesOf(schema, where);
  const list =
    schema === undefined ? ((given ?? []) as readonly PromptArgument[]) : listOf(schema, properties);
  const names = new Set(list.map(({ name }) => name));
  if (names.size < list.length || list.some(({ name }) => typeof name !== "string" || name === "")) {
    throw new McpError("INVALID_DEFINITION", `Every argument of ${where} needs a name of its own.`);
  }
  return {
    list,
    readers: new Map(list.map(({ name }) => [name, takesText(properties[name]) ? asText : asJson])),
    schema,
    suggestions: suggestionsOf(properties),
  };
}

function resolved(given: unknown, where: string): ResolvedSchema {
  if (isRawShape(given)) {
    throw new McpError(
      "INVALID_DEFINITION",
      `The arguments of ${where} are an object of schemas: wrap it, as in z.object({ … }).`,
    );
  }
  return resolveOrRefuse(`The arguments of ${where} are not a valid schema`, () =>
    resolveSchema(given as Source),
  );
}

function propertiesOf({ jsonSchema }: ResolvedSchema, where: string): Readonly<Record<string, unknown>> {
  const { type, properties } = jsonSchema;
  if (type === "object" && isRecord(properties)) {
    return properties;
  }
  const got = type === undefined ? "no type" : `type ${JSON.stringify(type)}`;
  throw new McpError(
    "INVALID_DEFINITION",
    `The arguments of ${where} must be a list of { name }, or a schema with type "object" and properties; got one with ${got}.`,
  );
}

function listOf(
  { jsonSchema }: ResolvedSchema,
  properties: Readonly<Record<string, unknown>>,
): PromptArgument[] {
  const required: readonly unknown[] = jsonSchema.required ?? [];
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = isRecord(property) ? property : {};
    return defined<PromptArgument>({
      name,
      title: typeof title === "string" ? title : undefined,
      description: typeof description === "string" ? description : undefined,
      required: required.includes(name) ? true : undefined,
    });
  });
}

function suggestionsOf(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const values: unknown = isRecord(schema) ? schema["enum"] : undefined;
    const isText = Array.isArray(values) && values.every((value) => typeof value === "string");
    return isText ? [[name, values] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns false if no string can be a value of the property. The string is then parsed as JSON. */
function takesText(property: unknown): boolean {
  if (!isRecord(property)) {
    return true;
  }
  const { type, enum: values, anyOf, oneOf } = property;
  if (type !== undefined) {
    return [type].flat().includes("string");
  }
  if ("const" in property) {
    return typeof property["const"] === "string";
  }
  if (Array.isArray(values)) {
    return values.some((value) => typeof value === "string");
  }
  const branches: unknown = anyOf ?? oneOf;
  return !Array.isArray(branches) || branches.some(takesText);
}
