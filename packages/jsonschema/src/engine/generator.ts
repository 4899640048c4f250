import { codegenEngine } from "../codegen/engine.ts";
import { generateReporter } from "../codegen/report.ts";
import type { Engine } from "../compile.ts";
import type { ReportEngine } from "../report/errors.ts";

/** `auto` switches to generated code after this many validations, or this many reports. */
const hotAfter = 1_000;

/** Closures, generated code, or the first until the schema is hot. */
export const engine: Engine | undefined = (run) => {
  if (run.choice === "closures") {
    return run.closures();
  }
  if (run.choice === "codegen") {
    return generated(run);
  }
  const check = run.closures();
  let calls = 0;
  let hot: ReturnType<Engine> | undefined;
  return (value) => {
    // Callers that have stored this function still call it after another has replaced it.
    if (hot !== undefined) {
      return hot(value);
    }
    if (++calls >= hotAfter) {
      run.use((hot = generated(run)));
    }
    return check(value);
  };
};

/**
 * Generated code, or closures where the host turns out to forbid it or the schema is too large. It
 * is never probed for beforehand.
 */
function generated({ program, meter, closures }: Parameters<Engine>[0]): ReturnType<Engine> {
  return unlessForbidden(() => codegenEngine(program, meter), closures);
}

/**
 * Explains failures by the error walker, by generated code, or by the walker until many values have
 * failed.
 */
export const reportEngine: ReportEngine | undefined = (run) => {
  const { state, walker, walk } = run;
  const choice = state.options.engine ?? "auto";
  const generate = (): ReturnType<ReportEngine> =>
    unlessForbidden(
      () => generateReporter(state.program, state.meter, walker),
      () => walk,
    );
  if (choice === "closures") {
    return walk;
  }
  if (choice === "codegen") {
    return generate();
  }
  let calls = 0;
  return (value, path, at, sink) => {
    if (++calls >= hotAfter) {
      run.use(generate());
    }
    walk(value, path, at, sink);
  };
};

function unlessForbidden<R>(generate: () => R, otherwise: () => R): R {
  try {
    return generate();
  } catch (error) {
    if (error instanceof EvalError || error instanceof RangeError) {
      return otherwise();
    }
    throw error;
  }
}
