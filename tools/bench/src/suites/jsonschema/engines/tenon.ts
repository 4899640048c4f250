import { compile } from "@tenon/jsonschema";

import type { Engine } from "../engine.ts";

/** `@tenon/jsonschema` with one of its engines. */
const tenon = (engine: "closures" | "codegen"): Engine => ({
  name: `tenon ${engine}`,
  compile(schema) {
    const validator = compile(schema, { engine, formats: "assert" });
    return (instance) => validator.is(instance);
  },
  compileErrors(schema) {
    const validator = compile(schema, { engine, formats: "assert", limits: { maxErrors: 1000 } });
    return (instance) => {
      const result = validator.check(instance);
      return result.valid ? 0 : result.errors.length;
    };
  },
});

export const tenonClosures: Engine = tenon("closures");
export const tenonCodegen: Engine = tenon("codegen");
