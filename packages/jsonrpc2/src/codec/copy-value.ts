/** Returned for a value that only JSON itself can copy. */
export const notCopied: unique symbol = Symbol("not copied");

/**
 * Returns the value that is parsed from the JSON of `value`, without writing the JSON, which takes
 * six times as long. Handles what almost all messages consist of: plain objects, arrays, strings,
 * numbers, booleans and `null`.
 *
 * @param depth - How many levels may be nested. Values with a cycle have more.
 * @returns {@link notCopied} for everything else: class instances, `toJSON`, functions, bigints,
 *   too many levels, too long an array.
 * @throws What a getter or a proxy throws, and `TypeError` for a name that a frozen
 *   `Object.prototype` has.
 */
export function copyValue(value: unknown, depth = 64): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      if (value === null) {
        return value;
      }
      return depth === 0 || typeof (value as { readonly toJSON?: unknown }).toJSON === "function"
        ? notCopied
        : copyObject(value, depth - 1);
    default:
      return notCopied;
  }
}

function copyObject(value: object, depth: number): unknown {
  if (Array.isArray(value)) {
    return copyArray(value, depth);
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    return notCopied;
  }
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const property = (value as Readonly<Record<string, unknown>>)[name];
    if (property === undefined) {
      continue;
    }
    const copied = name === "__proto__" ? notCopied : copyValue(property, depth);
    if (copied === notCopied) {
      return notCopied;
    }
    copy[name] = copied;
  }
  return copy;
}

/** JSON refuses arrays that are too long. An attempt to copy those would end the process. */
const maxLength = 1_000_000;

function copyArray(values: readonly unknown[], depth: number): unknown {
  if (values.length > maxLength) {
    return notCopied;
  }
  const copy: unknown[] = [];
  // JSON does not ask for an iterator, which a class of arrays may replace.
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    const copied = value === undefined ? null : copyValue(value, depth);
    if (copied === notCopied) {
      return notCopied;
    }
    copy.push(copied);
  }
  return copy;
}
