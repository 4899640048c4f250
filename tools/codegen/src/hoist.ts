import { constOf, isSchema, mapOf, refName } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/**
 * Gives a name to each shape that upstream writes in place but that a user must be able to name:
 * the params of a request or notification (`PingRequest.params` → `PingRequestParams`) and the data
 * of an error (`…Error.error.data` → `…ErrorData`). A definition that already has the name is left
 * alone.
 */
export function hoist(definitions: Definitions): Definitions {
  const out: Definitions = {};
  for (const [name, schema] of Object.entries(definitions)) {
    out[name] = hoistParams(name, hoistErrorData(name, schema, definitions, out), definitions, out);
  }
  return out;
}

function hoistParams(name: string, schema: Schema, all: Definitions, out: Definitions): Schema {
  const properties = mapOf(schema, "properties");
  const params = properties["params"];
  const hoisted = `${name}Params`;
  if (constOf(schema, "method") === undefined || !isSchema(params) || refName(params) !== undefined) {
    return schema;
  }
  if (!/(?:Request|Notification)$/.test(name) || hoisted in all) {
    return schema;
  }
  out[hoisted] = params;
  return { ...schema, properties: { ...properties, params: { $ref: `#/$defs/${hoisted}` } } };
}

function hoistErrorData(name: string, schema: Schema, all: Definitions, out: Definitions): Schema {
  const properties = mapOf(schema, "properties");
  const error = properties["error"];
  if (error === undefined || !name.endsWith("Error")) {
    return schema;
  }
  const data = mapOf(error, "properties")["data"];
  const hoisted = `${name}Data`;
  if (data === undefined || data["type"] !== "object" || hoisted in all) {
    return schema;
  }
  out[hoisted] = data;
  const named = {
    ...error,
    properties: { ...mapOf(error, "properties"), data: { $ref: `#/$defs/${hoisted}` } },
  };
  return { ...schema, properties: { ...properties, error: named } };
}
