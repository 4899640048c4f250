/** Returned for a value that only JSON itself can copy. */
export const notCopied: unique symbol = Symbol("not copied");

/**
 * Maximum number of values that are copied. JSON refuses values that are too large, even if they
 * are large only by references to the same part. An attempt to copy those would end the process.
 */
const maxValues = 1_000_000;

/** The number of values that may still be copied. */
interface Budget {
  left: number;
}

/**
 * Returns the value that is parsed from the JSON of `value`, without writing the JSON, which takes
 * six times as long. Handles what almost all messages consist of: plain objects, arrays, strings,
 * numbers, booleans and `null`.
 *
 * @param depth - How many levels may be nested. Values with a cycle have more.
 * @returns {@link notCopied} for everything else: class instances, `toJSON`, functions, bigints,
 *   too many levels, too many values.
 * @throws What a getter or a proxy throws, and `TypeError` for a name that a frozen
 *   `Object.prototype` has.
 */
export function copyValue(value: unknown, depth = 64, budget: Budget = { left: maxValues }): unknown {
  if (--budget.left < 0) {
    return notCopied;
  }
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
        : copyObject(value, depth - 1, budget);
    default:
      return notCopied;
  }
}

function copyObject(value: object, depth: number, budget: Budget): unknown {
  if (Array.isArray(value)) {
    return copyArray(value, depth, budget);
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
    const copied = name === "__proto__" ? notCopied : copyValue(property, depth, budget);
    if (copied === notCopied) {
      return notCopied;
    }
    copy[name] = copied;
  }
  return copy;
}

function copyArray(values: readonly unknown[], depth: number, budget: Budget): unknown {
  if (values.length > budget.left) {
    return notCopied;
  }
  const copy: unknown[] = [];
  // JSON does not ask for an iterator, which a class of arrays may replace.
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    const copied = copyValue(value === undefined ? null : value, depth, budget);
    if (copied === notCopied) {
      return notCopied;
    }
    copy.push(copied);
  }
  return copy;
}
