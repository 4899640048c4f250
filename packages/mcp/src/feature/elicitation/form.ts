import { isRecord } from "@tenon/base";
import {
  explain,
  type Attempt,
  type CompileOptions,
  type CoreValidator,
  type JSONSchema,
} from "@tenon/jsonschema/core";

import { McpError } from "../../base/error.ts";
import { inOneLine } from "../../base/values.ts";
import type { FormSchema } from "../../request/elicit.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/** The content of the form, by field. */
export type FormContent = Record<string, string | number | boolean | string[]>;

const fieldTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/**
 * Compiles the schema of a form: a client does not trust the server that wrote it, a server trusts
 * itself.
 */
export type CompileForm = (
  schema: JSONSchema,
  options: Pick<CompileOptions, "formats">,
) => Attempt<CoreValidator>;

/** Describes why a schema is not a form; `undefined` if it is. */
export function formProblem(schema: unknown, compile: CompileForm): string | undefined {
  if (!isRecord(schema) || schema["type"] !== "object" || !isRecord(schema["properties"])) {
    return 'requestedSchema must have type "object" and properties.';
  }
  for (const [name, field] of Object.entries(schema["properties"])) {
    if (!isRecord(field) || !(fieldTypes.has(field["type"]) || isMultiSelect(field))) {
      return `The field ${JSON.stringify(name)} must be a string, number, integer, boolean, or an array of choices.`;
    }
  }
  const compiled = compile(schema, {});
  return compiled.ok ? undefined : compiled.error.message;
}

function isMultiSelect({ type, items }: Record<string, unknown>): boolean {
  return (
    type === "array" && isRecord(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]))
  );
}

/**
 * Returns the content of an accepted form: fills in the defaults of missing fields (SEP-1034) and
 * validates it against the schema, including formats. Client and server use it.
 *
 * @throws `McpError` `INVALID_RESULT` that names the invalid fields.
 * @source R-624
 */
export function checkForm(schema: FormSchema, content: unknown, compile: CompileForm): FormContent {
  if (content !== undefined && !isRecord(content)) {
    throw new McpError("INVALID_RESULT", "The content of an accepted form must be an object.");
  }
  const filled = { ...defaultsOf(schema), ...content };
  const compiled = compile(schema, { formats: "assert" });
  if (!compiled.ok) {
    throw compiled.error;
  }
  const outcome = compiled.validator.check(filled);
  if (!outcome.valid) {
    throw new McpError("INVALID_RESULT", `Invalid form content: ${inOneLine(explain(outcome.errors))}`);
  }
  const odd = Object.entries(filled).find(([, value]) => !isFieldValue(value));
  if (odd !== undefined) {
    throw new McpError(
      "INVALID_RESULT",
      `The field ${JSON.stringify(odd[0])} must be a string, number, boolean or list of strings.`,
    );
  }
  return filled as FormContent;
}

function defaultsOf({ properties }: FormSchema): Record<string, unknown> {
  const entries = Object.entries(properties).filter(([, field]) => "default" in field);
  return Object.fromEntries(entries.map(([name, field]) => [name, (field as { default: unknown }).default]));
}

function isFieldValue(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every((item) => typeof item === "string")
    : typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/**
 * The form as a revision knows it.
 *
 * @throws `McpError` `NOT_IN_REVISION` for a multi-select field where there is none.
 * @source T-45
 */
export function downConvertForm(schema: FormSchema, rules: RevisionRules): FormSchema {
  if (rules.formFields === "full") {
    return schema;
  }
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    if (field.type === "array") {
      throw new McpError(
        "NOT_IN_REVISION",
        `Revision ${rules.revision} has no multi-select fields, which ${JSON.stringify(name)} is.`,
      );
    }
    return [name, downConvertField(field)] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

type Field = FormSchema["properties"][string];

function downConvertField(field: Field): Field {
  if (field.type === "boolean") {
    return field;
  }
  if ("oneOf" in field) {
    const { oneOf, default: _, ...rest } = field;
    return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map(({ title }) => title) };
  }
  if ("default" in field) {
    const { default: _, ...rest } = field;
    return rest;
  }
  return field;
}

/**
 * Returns the user's action in the response to an elicitation request.
 *
 * @throws `McpError` `INVALID_RESULT`.
 */
export function readAction(answer: unknown): "accept" | "decline" | "cancel" {
  const action = isRecord(answer) ? answer["action"] : undefined;
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw new McpError(
      "INVALID_RESULT",
      `Invalid elicitation/create result: action must be "accept", "decline" or "cancel"; got ${JSON.stringify(action)?.slice(0, 100)}.`,
    );
  }
  return action;
}
