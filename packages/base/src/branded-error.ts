import { hasCode } from "./unknown-value.ts";

/**
 * Sets the name and the brand of the errors of a class. The brand identifies them across copies of
 * a package, where `instanceof` fails. Neither shows when an error is printed or compared. Call it
 * in a `static` block of the class.
 *
 * @param brand - `Symbol.for` of the package and the class, such as `@tenon/mcp/McpError`.
 */
export function brandErrors(prototype: Error, name: string, brand: symbol): void {
  Object.defineProperties(prototype, {
    name: { value: name, configurable: true, writable: true },
    [brand]: { value: true },
  });
}

/**
 * Returns whether `value` has the brand that {@link brandErrors} gives and, if `code` is not
 * `undefined`, this `code`.
 */
export function isBranded(value: unknown, brand: symbol, code?: string): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    brand in value &&
    (code === undefined || hasCode(value, code))
  );
}
