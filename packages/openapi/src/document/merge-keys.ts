import { isRecord } from "@tenon/base";

import { OpenApiError } from "../error.ts";
import { listOf, type Members } from "./values.ts";

const mergeKey = "<<";

/**
 * Replaces the merge keys of YAML (`<<`) by the properties of the objects that they name. Own
 * properties take precedence, and of several objects the first. The values are shared, not copied.
 *
 * @param name - The document, for errors.
 * @param maxValues - Maximum number of properties that are merged.
 * @throws `OpenApiError` `LIMIT`.
 */
export function mergeKeys(document: unknown, name: string, maxValues: number): void {
  let left = maxValues;
  const count = (): void => {
    if (--left < 0) {
      throw new OpenApiError(
        "LIMIT",
        `${name} merges more than ${maxValues} values. If you trust it, raise limits.maxValues.`,
      );
    }
  };
  const merge = (target: Record<string, unknown>, sources: readonly Members[]): void => {
    // An object that is merged may have a merge key that has not been replaced yet.
    const pending = sources.toReversed();
    const merged = new Set<Members>();
    for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
      count();
      if (merged.has(source)) {
        continue;
      }
      merged.add(source);
      for (const [key, value] of Object.entries(source)) {
        count();
        if (key !== mergeKey && !Object.hasOwn(target, key)) {
          // An assignment to `__proto__` would not make a property.
          Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
        }
      }
      for (const further of sourcesOf(source).toReversed()) {
        pending.push(further);
      }
    }
  };
  const reached = new Set<object>();
  const reach = (value: unknown): void => {
    if (typeof value === "object" && value !== null) {
      reached.add(value);
    }
  };
  reach(document);
  // A set that grows while it is iterated is iterated to its end.
  for (const value of reached) {
    if (isRecord(value) && sourcesOf(value).length > 0) {
      const sources = sourcesOf(value);
      delete value[mergeKey];
      merge(value, sources);
    }
    Object.values(value).forEach(reach);
  }
}

/** The objects that the merge key of an object names; none if it has another value. */
function sourcesOf(value: Members): readonly Members[] {
  const merged = Object.hasOwn(value, mergeKey) ? value[mergeKey] : undefined;
  const sources = isRecord(merged) ? [merged] : listOf(merged);
  return sources.every(isRecord) ? sources : [];
}
