import { isMembers } from "../value/members.ts";
import type { StandardJSONSchema } from "./spec.ts";

/**
 * Names the field whose schema has no JSON Schema in the error of its library, which names only the
 * kind of schema. Only members of zod's schemas are named; other errors are returned unchanged.
 *
 * @param write - Writes the JSON Schema of a schema, or throws.
 */
export function namingField(
  source: StandardJSONSchema,
  error: unknown,
  write: (schema: StandardJSONSchema) => unknown,
): unknown {
  const path = pathIn(source, write, new Set());
  return path === undefined || path === false || path === "" || !(error instanceof Error)
    ? error
    : new TypeError(`${path}: ${error.message}`, { cause: error });
}

/** @returns `undefined` if the schema can be written; `false` if only a schema around it cannot. */
function pathIn(
  source: unknown,
  write: (schema: StandardJSONSchema) => unknown,
  seen: Set<unknown>,
): string | false | undefined {
  if (!hasDefinition(source)) {
    return undefined;
  }
  if (seen.has(source)) {
    return false;
  }
  seen.add(source);
  let isLoop = false;
  try {
    write(source);
    return undefined;
  } catch {
    for (const [name, child] of childrenOf(source._zod.def)) {
      const rest = pathIn(child, write, seen);
      isLoop ||= rest === false;
      if (typeof rest === "string") {
        return [name, rest].filter(Boolean).join(".");
      }
    }
    return isLoop ? false : "";
  }
}

/** The parts of a schema. The parts of an object have names. */
function childrenOf(definition: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(definition).flatMap(([key, value]): (readonly [string, unknown])[] =>
    key === "shape" && isMembers(value)
      ? Object.entries(value)
      : (Array.isArray(value) ? value : [value]).map((child: unknown) => ["", child] as const),
  );
}

function hasDefinition(
  value: unknown,
): value is StandardJSONSchema & { readonly _zod: { readonly def: Readonly<Record<string, unknown>> } } {
  return isMembers(value) && isMembers(value["_zod"]) && isMembers(value["_zod"]["def"]);
}
