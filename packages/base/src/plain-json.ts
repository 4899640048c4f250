/**
 * Whether a value survives JSON unchanged: null, booleans, finite numbers, strings, arrays and
 * plain objects without `toJSON`. A property with the value `undefined` counts as absent.
 *
 * @param maxDepth - Maximum depth of objects and arrays.
 */
export function isPlainJson(value: unknown, maxDepth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return true;
  }
  if (typeof value === "number") {
    return Number.isFinite(value);
  }
  if (typeof value !== "object" || maxDepth <= 0) {
    return false;
  }
  if (Array.isArray(value)) {
    return value.every((item) => isPlainJson(item, maxDepth - 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    !("toJSON" in value) &&
    Object.values(value).every((member) => member === undefined || isPlainJson(member, maxDepth - 1))
  );
}
