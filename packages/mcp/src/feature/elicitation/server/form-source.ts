import { isRecord } from "@tenon/base";
import { explain, type CheckResult, type Source } from "@tenon/jsonschema/core";
import { resolveSchema } from "@tenon/jsonschema/lazy";

import { McpError } from "../../../base/error.ts";
import { inOneLine } from "../../../base/values.ts";
import type { FormSchema } from "../../../request/elicit.ts";
import { isRawShape } from "../../misplaced.ts";
import { resolveOrRefuse } from "../../resolve-schema.ts";
import type { FormContent } from "../form.ts";
import { isFieldFormat } from "./own-form.ts";

/** The form that a schema describes, and what becomes of its content. */
export interface Form {
  readonly schema: FormSchema;
  /**
   * Converts content that matches {@link schema} to the value for the handler.
   *
   * @throws `McpError` `INVALID_RESULT` if a check of the schema's author rejects it.
   */
  readonly finish: (content: FormContent) => unknown;
}

/**
 * The keywords that a field may have. Other keywords are checked when the response arrives, and not
 * sent, because clients need not support them.
 *
 * @source R-621
 */
const fieldKeywords: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "default",
  "minLength",
  "maxLength",
  "format",
  "minimum",
  "maximum",
  "enum",
  "enumNames",
  "oneOf",
  "items",
  "minItems",
  "maxItems",
]);

/**
 * Reads a form from a schema that is written in any of the ways of a tool's `input`. A JSON Schema
 * literal is sent unchanged.
 *
 * @throws `McpError` `INVALID_DEFINITION` for a value that is not a schema.
 */
export function readForm(source: unknown): Form {
  if (isRawShape(source)) {
    const message = "requestedSchema is an object of schemas: wrap it, as in z.object({ … }).";
    throw new McpError("INVALID_DEFINITION", message);
  }
  if (typeof source !== "function" && !(isRecord(source) && ("~standard" in source || "~field" in source))) {
    return { schema: source as FormSchema, finish: (content) => content };
  }
  const { jsonSchema, check } = resolveOrRefuse("requestedSchema is not valid", () =>
    resolveSchema(source as Source),
  );
  const { type, properties, required } = jsonSchema;
  const fields = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldOf(field)]))
    : properties;
  const schema = { type, properties: fields, ...(required === undefined ? {} : { required }) } as FormSchema;
  return {
    schema,
    finish(content) {
      const result = check(content);
      return result instanceof Promise ? result.then(valueOf) : valueOf(result);
    },
  };
}

function fieldOf(field: unknown): unknown {
  return isRecord(field)
    ? Object.fromEntries(
        Object.entries(field).filter(
          ([keyword, value]) => fieldKeywords.has(keyword) && (keyword !== "format" || isFieldFormat(value)),
        ),
      )
    : field;
}

function valueOf(result: CheckResult<unknown>): unknown {
  if (!result.valid) {
    const message = `Invalid form content: ${inOneLine(explain(result.errors))}`;
    throw new McpError("INVALID_RESULT", message);
  }
  return result.value;
}
