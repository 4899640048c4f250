import { tryCompile } from "@tenon/jsonschema/untrusted";

import type { Schema } from "./shape.ts";

/** The errors of a value. */
export interface Problems {
  /** Sentences, by the JSON pointer of the invalid value. */
  readonly errors: ReadonlyMap<string, string>;
  /** Why the schema cannot be used, if it cannot. */
  readonly schemaProblem?: string | undefined;
}

const cache = new WeakMap<Schema, ReturnType<typeof tryCompile>>();

/** Validates a value against a schema of the server, which is not trusted. */
export function validate(schema: Schema, value: unknown): Problems {
  let attempt = cache.get(schema);
  if (attempt === undefined) {
    attempt = tryCompile(schema);
    cache.set(schema, attempt);
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
    errors.set(at, errors.has(at) ? `${errors.get(at)} ${sentence(message)}` : sentence(message));
  }
  return { errors };
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}
