import { partsOf } from "../document/parts.ts";
import type { Pointers } from "../document/pointer.ts";
import { present } from "../document/values.ts";
import type { Body, Operation, Parameter } from "../operation/operation.ts";
import type { Schema } from "./convert.ts";
import type { CompleteSchema, Converted, Definitions } from "./definitions.ts";
import { fileSchema, filesOf } from "./files.ts";
import { sizeOf } from "./reduce.ts";

const tooLarge = "Too large for a whole schema: the deepest parts accept any value.";
/** Arguments of this size are not reduced further. */
const minShare = 256;
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
  const all = argumentsOf(operation, plan, definitions);
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const rootOf = (kept: readonly Converted[]): Record<string, unknown> => ({
    type: "object",
    properties: Object.fromEntries(all.map(({ name }, index) => [name, kept[index]?.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  for (let share = maxBytes / 2; ; share /= 2) {
    const kept = all.map(({ converted }) =>
      sizeOf(converted.schema) <= share ? converted : cut(converted, share, definitions),
    );
    const references = [...new Set(kept.flatMap((each) => each.references))];
    const completed = definitions.complete(rootOf(kept), references, "input");
    // Each argument may be small, and all of them too large, or the definitions that they refer to.
    if (sizeOf(completed.schema) <= maxBytes || share < minShare) {
      return completed;
    }
  }
}

interface Argument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly converted: Converted;
}

function argumentsOf(operation: Operation, plan: InputPlan, definitions: Definitions): readonly Argument[] {
  const where = `${operation.method} ${operation.path}`;
  const given = plan.parameters.map(({ argument, parameter }): Argument => {
    const { schema, references } = definitions.convert(parameter.schema, "input", where);
    const converted = { schema: annotated(schema, parameter), references };
    return { name: argument, isRequired: parameter.isRequired, converted };
  });
  const { body } = operation;
  if (plan.body === undefined || body === undefined) {
    return given;
  }
  const converted = schemaOfBody(body, plan.bodySchema, definitions, where);
  return [...given, { name: plan.body, isRequired: body.isRequired, converted }];
}

/** Reduces an argument to its share of the size, with a note about it. */
function cut(converted: Converted, share: number, definitions: Definitions): Converted {
  const { schema, references } = definitions.reduce(converted, share - noteBytes);
  const { description } = schema as { readonly description?: string };
  const note = description === undefined ? tooLarge : `${description} ${tooLarge}`;
  return { schema: { ...(schema as Record<string, unknown>), description: note }, references };
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
