import formats from "ajv-formats";
import { type Options, Ajv2020 } from "ajv/dist/2020.js";

import type { Engine } from "../engine.ts";

const instance = (options: Options): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, ...options });
  formats.default(ajv);
  return ajv;
};

const fast = instance({});
const all = instance({ allErrors: true });

/** Ajv as its documentation shows it: one instance, which checks schemas against the metaschema. */
export const ajv: Engine = {
  name: "ajv",
  compile: (schema) => fast.compile(schema),
  compileErrors(schema) {
    const validate = all.compile(schema);
    return (value) => (validate(value) ? 0 : (validate.errors?.length ?? 0));
  },
};

const unchecked = instance({ allErrors: true, validateSchema: false });

/** Ajv as the official MCP SDK sets it: all errors always, schemas not checked. */
export const ajvLikeMcp: Engine = {
  name: "ajv (as the MCP SDK)",
  compile: (schema) => unchecked.compile(schema),
  compileErrors(schema) {
    const validate = unchecked.compile(schema);
    return (value) => (validate(value) ? 0 : (validate.errors?.length ?? 0));
  },
};
