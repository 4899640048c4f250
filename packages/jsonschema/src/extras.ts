import type { ValidatorState } from "./compile.ts";
import { applyDefaults, copies, inPlaceOf } from "./defaults.ts";
import { evaluate } from "./output/evaluate.ts";
import { renderOutput } from "./output/render.ts";
import type { CoreValidator, Validator } from "./validator.ts";

/** The methods of a validator that the core build leaves out: standard output and defaults. */
export function extras({
  program,
  closures,
  meter,
  conforms,
  limited,
  depth,
}: ValidatorState): Omit<Validator, keyof CoreValidator | "~standard"> {
  return {
    output(value, format) {
      if (format === "flag") return { valid: conforms(value) };
      const failure = limited(value);
      if (failure !== undefined && failure !== false) {
        const { keywordLocation, instanceLocation, message } = failure;
        return {
          valid: false,
          errors: [{ valid: false, keywordLocation, instanceLocation, error: message }],
        };
      }
      meter.reset();
      return renderOutput(evaluate(program.root, value, closures()), format);
    },
    applyDefaults: (value, { mutate = false } = {}) =>
      applyDefaults(program.root, value, depth, mutate ? inPlaceOf : copies()),
  };
}
