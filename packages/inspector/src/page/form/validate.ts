import { tryCompile } from "@tenon/jsonschema/untrusted";

import type { Schema } from "./shape.ts";

/** The errors of a value. */
export interface Problems {
  /** Sentences, by the JSON pointer of the invalid value. */
  readonly errors: ReadonlyMap<string, string>;
  /** Why the schema cannot be used, if it cannot. */
  readonly schemaProblem?: string | undefined;
}

/** The compiled schemas of values that are received, and of values that a person fills in. */
const caches = { annotate: new WeakMap<Schema, Attempt>(), assert: new WeakMap<Schema, Attempt>() };

type Attempt = ReturnType<typeof tryCompile>;

/**
 * Validates a value against a schema of the server, which is not trusted.
 *
 * @param formats - Whether formats such as `date` are asserted, as a person expects of a form.
 */
export function validate(
  schema: Schema,
  value: unknown,
  formats: keyof typeof caches = "annotate",
): Problems {
  let attempt = caches[formats].get(schema);
  if (attempt === undefined) {
    attempt = tryCompile(schema, { formats });
    caches[formats].set(schema, attempt);
  }
  if (!attempt.ok) {
    return { errors: new Map(), schemaProblem: attempt.error.message };
  }
  const result = attempt.validator.check(value);
  const errors = new Map<string, string>();
  for (const { instanceLocation, keyword, params, message } of result.valid ? [] : result.errors) {
    const at =
      keyword === "required"
        ? `${instanceLocation}/${String(params.expected).replaceAll("~", "~0").replaceAll("/", "~1")}`
        : instanceLocation;
    const isEmpty = keyword === "required" || (keyword === "format" && params.received === "");
    const said = isEmpty ? "Enter a value." : sentence(message);
    errors.set(at, errors.has(at) ? `${errors.get(at)} ${said}` : said);
  }
  return { errors };
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}
