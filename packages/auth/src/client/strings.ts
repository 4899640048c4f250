/** Maximum number of strings in a list of a document. */
const maxList = 1000;

/** The strings of a list from a server, or `undefined` if it is not a list. */
export function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value)
    ? value.slice(0, maxList).filter((item): item is string => typeof item === "string")
    : undefined;
}
