/**
 * Returns text as a JSON string, so that databases without NUL characters can store it. For authors
 * of stores.
 */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Returns the text of {@link quoted}. For authors of stores. */
export function unquoted(stored: unknown): string {
  return JSON.parse(String(stored)) as string;
}
