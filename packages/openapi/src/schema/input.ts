import { isRecord } from "@tenon/base";

import { membersOf, present } from "../document/values.ts";
import type { Body, Operation, Parameter } from "../operation/operation.ts";
import type { Schema } from "./convert.ts";
import { sizeOf, type CompleteSchema, type Definitions } from "./definitions.ts";

/** The arguments of a tool, and the parts of the request that they become. */
export interface InputPlan {
  readonly parameters: readonly { readonly argument: string; readonly parameter: Parameter }[];
  /** The argument of the body. */
  readonly body: string | undefined;
}

/** The schema of a file in arguments, which are JSON. */
const fileSchema = {
  type: "object",
  description: "A file: its text, or its bytes in base64.",
  properties: {
    text: { type: "string" },
    base64: {
      type: "string",
      contentEncoding: "base64",
      pattern: "^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$",
    },
    filename: { type: "string" },
    mediaType: { type: "string" },
  },
  oneOf: [{ required: ["text"] }, { required: ["base64"] }],
  additionalProperties: false,
};

/**
 * Assigns an argument to each parameter. Its name is the parameter's name, in characters that every
 * model vendor accepts. Parameters that would have the same name get their place as a suffix.
 */
export function planInput({ parameters, body }: Operation): InputPlan {
  const plain = parameters.map(({ name }) => argumentName(name));
  const taken = new Set<string>(body === undefined ? [] : ["body"]);
  const given = parameters.map((parameter, index) => {
    const name = plain[index] ?? "";
    const isShared = taken.has(name) || plain.indexOf(name) !== index;
    const base = isShared ? `${name.slice(0, 48)}_${parameter.place}` : name;
    let argument = base;
    for (let count = 2; taken.has(argument); count++) {
      argument = `${base}_${count}`;
    }
    taken.add(argument);
    return { argument, parameter };
  });
  return { parameters: given, body: body === undefined ? undefined : "body" };
}

function argumentName(name: string): string {
  return (
    name
      .replace(/[^A-Za-z0-9_.-]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 64) || "value"
  );
}

/** Makes the input schema of an operation. */
export function inputSchema(
  operation: Operation,
  plan: InputPlan,
  definitions: Definitions,
  maxBytes: number,
): CompleteSchema {
  const where = `${operation.method} ${operation.path}`;
  const references: string[] = [];
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  const add = (
    argument: string,
    isRequired: boolean,
    converted: { schema: Schema; references: readonly string[] },
  ): void => {
    const fits = sizeOf(converted.schema) <= maxBytes / 2;
    properties[argument] = fits ? converted.schema : { description: "Any value: the schema is too large." };
    if (fits) {
      references.push(...converted.references);
    }
    if (isRequired) {
      required.push(argument);
    }
  };
  for (const { argument, parameter } of plan.parameters) {
    const { schema, references: used } = definitions.convert(parameter.schema, "input", where);
    add(argument, parameter.isRequired, { schema: annotated(schema, parameter), references: used });
  }
  if (plan.body !== undefined && operation.body !== undefined) {
    const { body } = operation;
    add(plan.body, body.isRequired, bodySchema(body, definitions, where));
  }
  const root = {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
  return definitions.complete(root, [...new Set(references)], "input");
}

/** The description and the examples of a parameter, added to its schema. */
function annotated(
  schema: Schema,
  { description, isDeprecated, examples }: Pick<Parameter, "description" | "isDeprecated" | "examples">,
): Schema {
  if (typeof schema === "boolean") {
    return schema;
  }
  return {
    ...schema,
    ...present({
      description: description ?? schema["description"],
      deprecated: isDeprecated ? true : undefined,
      examples: schema["examples"] ?? (examples.length === 0 ? undefined : examples),
    }),
  };
}

function bodySchema(
  body: Body,
  definitions: Definitions,
  where: string,
): { schema: Schema; references: readonly string[] } {
  const { kind, description, examples } = body;
  const note = { description, isDeprecated: false, examples };
  if (kind === "binary") {
    return { schema: { ...fileSchema, ...present({ description }) }, references: [] };
  }
  if (kind === "text") {
    return { schema: annotated({ type: "string" }, note), references: [] };
  }
  const { schema, references } = definitions.convert(body.schema, "input", where);
  if (kind !== "multipart" || typeof schema === "boolean") {
    return { schema: annotated(schema, note), references };
  }
  const properties = Object.entries(membersOf(schema["properties"])).map(([name, value]) => [
    name,
    withFiles(value),
  ]);
  return {
    schema: annotated(
      { ...schema, ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }) },
      note,
    ),
    references,
  };
}

/** The schema of a part: a file if it is binary, otherwise unchanged. */
function withFiles(value: unknown): unknown {
  if (!isRecord(value)) {
    return value;
  }
  if (value["items"] !== undefined && value["type"] === "array") {
    return { ...value, items: withFiles(value["items"]) };
  }
  return isFileSchema(value) ? { ...fileSchema, ...present({ description: value["description"] }) } : value;
}

/** Whether a schema describes a file, in the notation of OpenAPI 3.0 or 3.1. */
function isFileSchema(schema: Record<string, unknown>): boolean {
  const { type, format, contentMediaType, contentEncoding } = schema;
  return (
    (type === "string" && format === "binary") ||
    (contentMediaType !== undefined &&
      contentEncoding === undefined &&
      (type === undefined || type === "string"))
  );
}
