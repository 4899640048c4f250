import { explain, tryCompile } from "@tenon/jsonschema/untrusted";

/** Returns what is wrong with a value, in one line; `undefined` if it matches. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** The schemas are within the limit of their bytes. */
const limits = { maxSubschemas: 100_000, maxSchemaDepth: 256 };
const maxProblem = 500;

/**
 * Makes the check of a schema. It is compiled for the first value, because of a thousand tools few
 * are called. A schema that cannot be compiled accepts every value, and the API decides.
 */
export function checkOf(schema: Record<string, unknown>, onWarning: (message: string) => void): SchemaCheck {
  let compiled: SchemaCheck | undefined;
  return (value) => (compiled ??= compile(schema, onWarning))(value);
}

function compile(schema: Record<string, unknown>, onWarning: (message: string) => void): SchemaCheck {
  const attempt = tryCompile(schema, { limits });
  if (!attempt.ok) {
    onWarning(`a schema cannot be compiled, and accepts any value: ${attempt.error.message}`);
    return () => undefined;
  }
  const { validator } = attempt;
  return (value) => {
    const result = validator.check(value);
    return result.valid ? undefined : explain(result.errors).replace(/\s+/g, " ").slice(0, maxProblem);
  };
}

/** A schema with its check, as tools accept it. */
export interface CheckedSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(
      value: unknown,
    ): { readonly value: unknown } | { readonly issues: readonly { readonly message: string }[] };
    readonly jsonSchema: {
      input(): Record<string, unknown>;
      output(): Record<string, unknown>;
    };
  };
}

/** Makes a schema with a check. @param check - By default every value matches. */
export function checkedSchema(schema: Record<string, unknown>, check?: SchemaCheck): CheckedSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "tenon",
      validate(value) {
        const problem = check?.(value);
        return problem === undefined ? { value } : { issues: [{ message: problem }] };
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
