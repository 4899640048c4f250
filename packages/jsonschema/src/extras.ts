import type { ValidatorState } from "./compile.ts";
import { defaultsOf } from "./defaults.ts";
import { evaluate } from "./output/evaluate.ts";
import { renderOutput } from "./output/render.ts";
import { validateDefaults } from "./validate-defaults.ts";
import type { Validator } from "./validator.ts";

/** The methods of a validator that the core build leaves out. */
export type Extras = Pick<Validator, "applyDefaults" | "output">;

/** Makes standard output and defaults. */
export function extras(state: ValidatorState): Extras {
  const { options, program, closures, meter } = state;
  if (options.validateDefaults === true) validateDefaults(state);
  return {
    ...defaultsOf(state),
    output(value, format) {
      const failure = state.failure(value);
      if (format === "flag") return { valid: failure === undefined };
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
  };
}
