import { isRecord } from "@tenon/base";
import { findHeaderParameters, type HeaderParameters } from "@tenon/protocol";

const known = new WeakMap<object, HeaderParameters>();

/**
 * The `x-mcp-header` annotations of an input schema, read once per schema object.
 *
 * @source R-316…R-319
 */
export function paramHeadersOf(schema: object): HeaderParameters {
  let found = known.get(schema);
  if (found === undefined) {
    found = findHeaderParameters(schema);
    known.set(schema, found);
  }
  return found;
}

/** The value at a path, `undefined` if there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = current[key];
  }
  return current;
}
