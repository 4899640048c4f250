import { Validator } from "@cfworker/json-schema";

import type { Engine } from "../engine.ts";

export const cfworker: Engine = {
  name: "cfworker",
  compile(schema) {
    const validator = new Validator(schema, "2020-12", true);
    return (instance) => validator.validate(instance).valid;
  },
  compileErrors(schema) {
    const validator = new Validator(schema, "2020-12", false);
    return (instance) => validator.validate(instance).errors.length;
  },
};
