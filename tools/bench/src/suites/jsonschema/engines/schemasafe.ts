import { validator } from "@exodus/schemasafe";

import type { Engine } from "../engine.ts";

const options = {
  mode: "spec",
  isJSON: true,
  formatAssertion: true,
  $schemaDefault: "https://json-schema.org/draft/2020-12/schema",
};

type Json = Parameters<ReturnType<typeof validator>>[0];

export const schemasafe: Engine = {
  name: "schemasafe",
  compile(schema) {
    const validate = validator(schema, options);
    return (instance) => validate(instance as Json);
  },
  compileErrors(schema) {
    const validate = validator(schema, { ...options, includeErrors: true, allErrors: true });
    return (instance) => (validate(instance as Json) ? 0 : (validate.errors?.length ?? 0));
  },
};
