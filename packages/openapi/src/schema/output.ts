import { isRecord } from "@tenon/base";
import { mediaType as parseMediaType } from "@tenon/http/client";

import { membersOf } from "../document/values.ts";
import type { Operation } from "../operation/operation.ts";
import { isJsonType } from "../operation/read-body.ts";
import type { Definitions } from "./definitions.ts";
import { sizeOf } from "./reduce.ts";

/**
 * Makes the schema of the JSON that an operation returns when it succeeds. `undefined` if a
 * successful response may be something else than JSON, or has no schema.
 *
 * @param maxBytes - A schema that is larger without its definitions is left out.
 */
export function outputSchema(
  { method, path, responses }: Operation,
  definitions: Definitions,
  maxBytes: number,
): Record<string, unknown> | undefined {
  const successful = responses.filter(({ status }) => /^2(?:\d\d|XX)$/i.test(status));
  const found = (
    successful.length > 0 ? successful : responses.filter(({ status }) => status === "default")
  ).flatMap(({ content }) => [...content]);
  const isJson = ([type]: readonly [string, unknown]): boolean => isJsonType(parseMediaType(type) ?? "");
  const json = found.filter(isJson);
  if (
    json.length === 0 ||
    json.some(([, schema]) => !isRecord(schema)) ||
    !hasJsonEverywhere(successful, isJson)
  ) {
    return undefined;
  }
  const schemas = [...new Map(json.map(([, schema]) => [JSON.stringify(schema), schema])).values()].map(
    (schema) => definitions.convert(schema, "output", `${method} ${path}`),
  );
  const [only] = schemas;
  if (
    only === undefined ||
    schemas.some(({ schema }) => typeof schema === "boolean" || Object.keys(schema).length === 0)
  ) {
    return undefined;
  }
  const root =
    schemas.length === 1
      ? (only.schema as Record<string, unknown>)
      : { anyOf: schemas.map(({ schema }) => schema) };
  if (sizeOf(root) > maxBytes / 2) {
    return undefined;
  }
  return definitions.complete(root, [...new Set(schemas.flatMap(({ references }) => references))], "output")
    .schema;
}

/** Whether the client may ask each successful response with content for JSON. */
function hasJsonEverywhere(
  responses: readonly { readonly content: ReadonlyMap<string, unknown> }[],
  isJson: (entry: readonly [string, unknown]) => boolean,
): boolean {
  return responses.every(({ content }) => content.size === 0 || [...content].some(isJson));
}

/** Whether a successful response may have no content, which no output schema accepts. */
export function mayBeEmpty({ method, responses }: Operation): boolean {
  return (
    method === "HEAD" || responses.some(({ status, content }) => status.startsWith("2") && content.size === 0)
  );
}

/**
 * A schema that documents the usual response and accepts any other: clients refuse results that do
 * not match the output schema, and APIs do not always return what their documents say.
 */
export function lenient(schema: Record<string, unknown>): Record<string, unknown> {
  const { $defs, ...documented } = schema;
  return {
    ...(isObjectSchema(schema) ? { type: "object" } : {}),
    anyOf: [documented, { description: "Any other response of the API." }],
    ...($defs === undefined ? {} : { $defs }),
  };
}

/** Maximum depth of references and `allOf`. */
const maxSearch = 16;

/** Whether a schema describes objects, as far as its root shows. */
export function isObjectSchema(schema: Record<string, unknown>): boolean {
  const definitions = membersOf(schema["$defs"]);
  const seen = new Set<unknown>();
  const describes = (value: unknown, depth: number): boolean => {
    if (!isRecord(value) || depth > maxSearch || seen.has(value)) {
      return false;
    }
    seen.add(value);
    const { type, $ref: reference, properties, allOf } = value;
    if (type !== undefined) {
      return type === "object";
    }
    return (
      isRecord(properties) ||
      (typeof reference === "string" &&
        describes(definitions[reference.slice("#/$defs/".length)], depth + 1)) ||
      (Array.isArray(allOf) && allOf.some((part: unknown) => describes(part, depth + 1)))
    );
  };
  return describes(schema, 0);
}
