import type { Pointers } from "../document/pointer.ts";
import { present } from "../document/values.ts";
import type { Body, Operation, Parameter } from "../operation/operation.ts";
import type { Schema } from "./convert.ts";
import type { CompleteSchema, Converted, Definitions } from "./definitions.ts";
import { fileSchema, filesOf } from "./files.ts";
import { partsOf } from "./parts.ts";
import { sizeOf } from "./reduce.ts";

const tooLarge = "Too large for a whole schema: the deepest parts accept any value.";
/** The bytes that the note adds to a schema at most. */
const noteBytes = `,"description":"${tooLarge}"`.length;

/** The arguments of a tool, and the parts of the request that they become. */
export interface InputPlan {
  readonly parameters: readonly { readonly argument: string; readonly parameter: Parameter }[];
  /** The argument of the body. */
  readonly body: string | undefined;
  /** The schema of the body; of a multipart body, with files as arguments have them. */
  readonly bodySchema: unknown;
  /** The properties of a multipart body that are files or arrays of files. */
  readonly files: ReadonlySet<string>;
}

/**
 * Assigns an argument to each parameter. Its name is the parameter's name, in characters that every
 * model vendor accepts. Parameters that would have the same name get their place as a suffix.
 */
export function planInput({ parameters, body }: Operation, pointers: Pointers): InputPlan {
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
  const { schema, names } =
    body?.kind === "multipart"
      ? filesOf(objectSchema(body.schema, pointers), pointers)
      : { schema: body?.schema, names: new Set<string>() };
  return {
    parameters: given,
    body: body === undefined ? undefined : "body",
    bodySchema: schema,
    files: names,
  };
}

/** The schema of a multipart body, whose parts have names. Some documents name a string. */
function objectSchema(schema: unknown, pointers: Pointers): unknown {
  const parts = partsOf(schema, pointers);
  const isOther = parts.some(({ type }) => typeof type === "string" && type !== "object");
  return isOther ? { type: "object", ...present({ description: parts[0]?.["description"] }) } : schema;
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
  const cut = (converted: Converted, share: number): Converted => {
    const { schema, references: used } = definitions.reduce(converted, share - noteBytes);
    const { description } = schema as { readonly description?: string };
    const note = description === undefined ? tooLarge : `${description} ${tooLarge}`;
    return { schema: { ...(schema as Record<string, unknown>), description: note }, references: used };
  };
  const add = (argument: string, isRequired: boolean, converted: Converted): void => {
    const share = maxBytes / 2;
    const kept = sizeOf(converted.schema) <= share ? converted : cut(converted, share);
    properties[argument] = kept.schema;
    references.push(...kept.references);
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
    add(plan.body, body.isRequired, schemaOfBody(body, plan.bodySchema, definitions, where));
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

function schemaOfBody(
  { kind, description, examples }: Body,
  source: unknown,
  definitions: Definitions,
  where: string,
): Converted {
  const note = { description, isDeprecated: false, examples };
  if (kind === "binary") {
    return { schema: { ...fileSchema, ...present({ description }) }, references: [] };
  }
  if (kind === "text") {
    return { schema: annotated({ type: "string" }, note), references: [] };
  }
  const { schema, references } = definitions.convert(source, "input", where);
  return { schema: annotated(schema, note), references };
}
