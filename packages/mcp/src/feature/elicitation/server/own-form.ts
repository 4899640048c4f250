import { tryCompile } from "@tenon/jsonschema/core";
import { isDate, isDateTime, isEmail, isUri } from "@tenon/jsonschema/formats";

import type { FormSchema } from "../../../request/elicit.ts";
import type { CompileForm } from "../form.ts";

/** The formats of a field in the protocol's schema. Only their code is loaded. */
const customFormats = { date: isDate, "date-time": isDateTime, email: isEmail, uri: isUri };

/** Whether clients know a format. */
export function isFieldFormat(format: unknown): boolean {
  return typeof format === "string" && Object.hasOwn(customFormats, format);
}

/** Compiles a form that this server wrote. */
export const compileOwnForm: CompileForm = (schema, options) =>
  tryCompile(schema, { ...options, customFormats });

/**
 * Returns the first field whose format clients do not support; `undefined` if there is none.
 *
 * @source 2025-11-25 client/elicitation, `StringSchema`
 */
export function formatProblem({ properties }: FormSchema): string | undefined {
  const odd = Object.entries(properties).find(
    ([, field]) => "format" in field && field.format !== undefined && !isFieldFormat(field.format),
  );
  return odd === undefined
    ? undefined
    : `The field ${JSON.stringify(odd[0])} must have one of the formats ${Object.keys(customFormats).join(", ")}.`;
}
