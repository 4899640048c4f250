import type { PromptArgument } from "@tenon/protocol";

import { McpError } from "../../error.ts";
import { isRecord } from "../../session/meta.ts";
import { defined } from "../fields.ts";
import { isRawShape, isStandard } from "../misplaced.ts";

/** Makes a value of the text of an argument; `undefined` if the text is none. */
export type TextReader = (text: string) => unknown;

/** A prompt's arguments as they are listed, and how each is read. */
export interface ReadArguments {
  readonly list: readonly PromptArgument[];
  readonly readers: ReadonlyMap<string, TextReader>;
}

const asText: TextReader = (text) => text;

/** Reads a value that is not text, such as `12`, `true` or `["a"]`. */
const asJson: TextReader = (text) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** The arguments of a definition, from a list of them or from a schema. @throws `McpError` `INVALID_DEFINITION`. */
export function argumentsOf(given: unknown, where: string): ReadArguments {
  const list =
    given === undefined ? [] : Array.isArray(given) ? (given as PromptArgument[]) : listOf(given, where);
  const names = new Set(list.map(({ name }) => name));
  if (names.size < list.length || list.some(({ name }) => typeof name !== "string" || name === "")) {
    throw new McpError("INVALID_DEFINITION", `Every argument of ${where} needs a name of its own.`);
  }
  const properties = propertiesOf(given);
  const readers = list.map(({ name }) => [name, readerOf(properties[name])] as const);
  return { list, readers: new Map(readers) };
}

/** Suggestions for those properties of a schema that have an `enum` of text. */
export function suggestionsOf(given: unknown): Record<string, readonly string[]> {
  const entries = Object.entries(propertiesOf(given)).flatMap(([name, schema]) => {
    const values: unknown = isRecord(schema) ? schema["enum"] : undefined;
    const isText = Array.isArray(values) && values.every((value) => typeof value === "string");
    return isText ? [[name, values] as const] : [];
  });
  return Object.fromEntries(entries);
}

function listOf(schema: unknown, where: string): PromptArgument[] {
  if (!isRecord(schema) || schema["type"] !== "object" || !isRecord(schema["properties"])) {
    const expected = `The arguments of ${where} must be a list of { name }, or a JSON Schema with type "object" and properties`;
    throw new McpError(
      "INVALID_DEFINITION",
      isStandard(schema) || isRawShape(schema)
        ? `${expected}; got a schema of a library. Write [{ name: "code", description: "What to review", required: true }].`
        : `${expected}.`,
    );
  }
  const required: unknown = schema["required"];
  return Object.entries(schema["properties"]).map(([name, property]) => {
    const { title, description } = isRecord(property) ? property : {};
    return defined<PromptArgument>({
      name,
      title: typeof title === "string" ? title : undefined,
      description: typeof description === "string" ? description : undefined,
      required: Array.isArray(required) && required.includes(name) ? true : undefined,
    });
  });
}

function propertiesOf(given: unknown): Record<string, unknown> {
  return isRecord(given) && isRecord(given["properties"]) ? given["properties"] : {};
}

const jsonTypes = new Set(["number", "integer", "boolean", "array", "object", "null"]);

function readerOf(property: unknown): TextReader {
  const type: unknown = isRecord(property) ? property["type"] : undefined;
  return typeof type === "string" && jsonTypes.has(type) ? asJson : asText;
}
