// Runs the whole suite and prints how many cases were answered right. Started by no-eval.test.ts in
// a process that cannot make code from strings.
import { compile, type JSONSchema, type Validator } from "../../src/index.ts";
import { suiteCases, suiteOptions } from "./suite.ts";

let forbidden = false;
try {
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func
  new Function("return 1")();
} catch {
  forbidden = true;
}
const counts: Record<string, number> = {};
for (const engine of ["closures", "codegen", "auto"] as const) {
  for (const draft of ["draft2020-12", "draft7"] as const) {
    let right = 0;
    for (const part of ["required", "optional", "format"] as const) {
      const options = { ...suiteOptions(draft, part), engine };
      let last: JSONSchema | undefined;
      let validator: Validator | undefined;
      for (const { schema, data, valid } of suiteCases(draft, part)) {
        if (schema !== last || validator === undefined) {
          validator = compile(schema, options);
        }
        last = schema;
        if (validator.is(data) === valid && validator.check(data).valid === valid) {
          right++;
        }
      }
    }
    counts[`${engine} ${draft}`] = right;
  }
}
console.log(JSON.stringify({ forbidden, counts }));
