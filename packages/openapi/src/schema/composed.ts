import { isRecord } from "@tenon/base";

import { partsOf } from "../document/parts.ts";
import type { Pointers } from "../document/pointer.ts";

/** Maximum number of parts of all compositions. Further ones are taken literally. */
const maxParts = 200_000;

/**
 * Returns a function that finds parts of `allOf` without additional properties. In JSON Schema, a
 * part forbids the properties of the other parts, so that no value is valid. Generators such as
 * NSwag write classes that inherit in this way, and mean the properties of all parts.
 *
 * @param document - Of limited depth. It is searched for the first schema that asks.
 */
export function composedIn(document: object, pointers: Pointers): (schema: unknown) => boolean {
  let found: ReadonlySet<unknown> | undefined;
  return (schema) => (found ??= find(document, pointers)).has(schema);
}

function find(document: object, pointers: Pointers): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const stack: unknown[] = [document];
  for (let left = maxParts; stack.length > 0 && left > 0;) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) {
      continue;
    }
    for (const each of Object.values(value) as unknown[]) {
      stack.push(each);
    }
    if (!isRecord(value) || !Array.isArray(value["allOf"])) {
      continue;
    }
    const parts = partsOf(value, pointers);
    left -= parts.length;
    // A schema that only wraps another has no properties of its own.
    if (parts.filter((part) => isRecord(part["properties"])).length > 1) {
      parts.filter((part) => part["additionalProperties"] === false).forEach((part) => found.add(part));
    }
  }
  return found;
}
