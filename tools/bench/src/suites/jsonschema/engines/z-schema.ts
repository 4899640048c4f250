import ZSchema from "z-schema";

import type { Engine } from "../engine.ts";

/**
 * Its validators take the schema with each call and keep what they compiled by the identity of the
 * object.
 */
export const zSchema: Engine = {
  name: "z-schema",
  compile(schema) {
    const validator = ZSchema.create({
      safe: true,
      version: "draft2020-12",
      formatAssertions: null,
      breakOnFirstError: true,
    });
    return (instance) => validator.validate(instance, schema).valid;
  },
  compileErrors(schema) {
    const validator = ZSchema.create({ safe: true, version: "draft2020-12", formatAssertions: null });
    return (instance) => {
      const { valid, err } = validator.validate(instance, schema);
      return valid ? 0 : (err?.details?.length ?? 1);
    };
  },
};
