import type { ErrorsOf, ValidatorState } from "../compile.ts";
import { markCut } from "../validation-error.ts";
import { newBase } from "./place.ts";
import { createReporters, type ReportContext } from "./reporter.ts";
import type { Reporter, Sink } from "./sink.ts";

/**
 * Chooses the reporter: the error walker, which exists already, or something faster that uses it.
 */
export type ReportEngine = (run: {
  readonly state: ValidatorState;
  readonly walker: ReportContext;
  readonly walk: Reporter;
  /** Puts another reporter in its place. */
  readonly use: (reporter: Reporter) => void;
}) => Reporter;

/** Creates the function that reports errors: the error walker is built on first use. */
export function errorsOf(state: ValidatorState, engine?: ReportEngine): ErrorsOf {
  const { program, closures, meter, maxErrors, stopped } = state;
  let reporter: Reporter | undefined;

  function first(): Reporter {
    const walker = createReporters(closures(), meter);
    const walk = walker.reporterAt(program.root, newBase());
    return engine?.({ state, walker, walk, use: (other) => (reporter = other) }) ?? walk;
  }

  return (value) => {
    const sink: Sink = { issues: [], max: maxErrors };
    meter.reset();
    try {
      reporter ??= first();
      reporter(value, "", "", sink);
    } catch (error) {
      return [...sink.issues, stopped(error)];
    }
    if (sink.issues.length >= maxErrors) {
      markCut(sink.issues);
    }
    return sink.issues;
  };
}
