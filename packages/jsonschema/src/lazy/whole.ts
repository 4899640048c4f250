import { compileIn } from "../compile.ts";
import { defaultsOf } from "../defaults.ts";
import { errorsOf } from "../report/errors.ts";
import type { JSONSchema } from "../schema.ts";
import type { CoreValidator, Validator } from "../validator.ts";

/** The part of a validator that the lazy build needs. */
export type WholeValidator = CoreValidator & Pick<Validator, "applyDefaults">;

/** Compiles a schema with closures, whatever its keywords. */
export function compileWhole(schema: JSONSchema): WholeValidator {
  return compileIn({ errors: errorsOf, extras: defaultsOf }, schema);
}
