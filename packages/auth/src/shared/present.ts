/**
 * Removes the properties of a JSON object that are `null` or an empty string. Many servers write
 * these instead of omitting a property.
 */
export function present(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null && value !== ""));
}
