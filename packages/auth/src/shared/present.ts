/**
 * Removes the properties of a JSON object that are absent: `undefined`, `null` or an empty string.
 * Many servers write the last two instead of omitting a property.
 */
export function present<T>(json: Readonly<Record<string, T>>): Readonly<Record<string, NonNullable<T>>> {
  return Object.fromEntries(
    Object.entries(json).filter((entry): entry is [string, NonNullable<T>] => (entry[1] ?? "") !== ""),
  );
}
