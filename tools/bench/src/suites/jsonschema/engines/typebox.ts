import { Compile } from "typebox/schema";

import type { Engine } from "../engine.ts";

export const typebox: Engine = {
  name: "typebox",
  compile(schema) {
    const validator = Compile(schema);
    return (instance) => validator.Check(instance);
  },
  compileErrors(schema) {
    const validator = Compile(schema);
    return (instance) => validator.Errors(instance)[1].length;
  },
};
