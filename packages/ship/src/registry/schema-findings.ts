import { compile, type JSONSchema } from "@tenon/jsonschema";

import type { Finding } from "../finding.ts";

/** Maximum number of problems that are reported. */
const maxErrors = 200;

/** All violations of a schema. A missing property is at its own path. */
export function schemaFindings(schema: JSONSchema, value: unknown): readonly Finding[] {
  const result = compile(schema, { limits: { maxErrors } }).check(value);
  return result.valid
    ? []
    : result.errors.map(({ instanceLocation, keyword, message, params }) =>
        keyword === "required"
          ? { path: `${instanceLocation}/${String(params.expected)}`, message: "is missing" }
          : { path: instanceLocation, message: message.replace(/\.$/, "") },
      );
}
