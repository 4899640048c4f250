import { codegenEngine } from "../codegen/engine.ts";
import type { Engine } from "../compile.ts";

/** `auto` switches to generated code after this many validations. */
const HOT = 1_000;

/** Closures, generated code, or the first until the schema is hot. */
export const engine: Engine | undefined = (run) => {
  if (run.choice === "closures") return run.closures();
  if (run.choice === "codegen") return generated(run);
  const check = run.closures();
  let calls = 0;
  return (value) => {
    if (++calls >= HOT) run.use(generated(run));
    return check(value);
  };
};

/** Generated code, or closures where the host turns out to forbid it. It is never probed for beforehand. */
function generated({ program, meter, closures }: Parameters<Engine>[0]): ReturnType<Engine> {
  try {
    return codegenEngine(program, meter);
  } catch (error) {
    if (error instanceof EvalError) return closures();
    throw error;
  }
}
