import { Validator } from "ata-validator";

import type { Engine } from "../engine.ts";

export const ata: Engine = {
  name: "ata-validator",
  compile(schema) {
    const validator = new Validator(schema, { assertFormat: true });
    return (instance) => validator.isValidObject(instance);
  },
  compileErrors(schema) {
    const validator = new Validator(schema, { assertFormat: true });
    return (instance) => validator.validate(instance).errors.length;
  },
};
