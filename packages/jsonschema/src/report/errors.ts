import type { ErrorsOf, ValidatorState } from "../compile.ts";
import { createReporter } from "./reporter.ts";
import type { Reporter, Sink } from "./sink.ts";

/** Makes what says what is wrong with a value: the error walker is built when it is first asked. */
export function errorsOf({ program, closures, meter, maxErrors, stopped }: ValidatorState): ErrorsOf {
  let reporter: Reporter | undefined;
  return (value) => {
    const sink: Sink = { issues: [], max: maxErrors };
    meter.reset();
    try {
      reporter ??= createReporter(closures(), meter, program.root);
      reporter(value, "", "", sink);
    } catch (error) {
      return [...sink.issues, stopped(error)];
    }
    return sink.issues;
  };
}
