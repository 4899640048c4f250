import { constOf, mapOf, refName, rewrite, stringsOf } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/**
 * Leaves JSON-RPC envelopes out of the public surface (S-047): every definition with a `jsonrpc`
 * field or named `JSONRPC…`, and those in `elided`. A message that a public definition refers to
 * (an embedded input request) stays, as `{ method, params }`.
 */
export function elide(definitions: Definitions, elided: readonly string[]): Definitions {
  const isPublic = (name: string): boolean =>
    !elided.includes(name) && !name.startsWith("JSONRPC") && !isEnvelope(definitions[name] ?? {});
  const out: Definitions = {};
  const visit = (name: string): void => {
    const schema = definitions[name];
    if (schema === undefined || name in out) {
      return;
    }
    out[name] = bare(schema);
    rewrite(out[name], name, (node) => {
      visit(refName(node) ?? "");
      return node;
    });
  };
  for (const name of Object.keys(definitions).filter(isPublic)) {
    visit(name);
  }
  return out;
}

function isEnvelope(schema: Schema): boolean {
  return "jsonrpc" in mapOf(schema, "properties") || constOf(schema, "method") !== undefined;
}

function bare(schema: Schema): Schema {
  if (!isEnvelope(schema)) {
    return schema;
  }
  const { jsonrpc: _, id: __, ...properties } = mapOf(schema, "properties");
  const required = stringsOf(schema, "required").filter((field) => field in properties);
  return { ...schema, properties, required };
}
