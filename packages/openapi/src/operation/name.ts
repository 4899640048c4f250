import type { Operation } from "./operation.ts";

/** Maximum length of a name that every model vendor accepts. */
const maxLength = 64;
const hashLength = 8;

/**
 * Names operations for models: at most 64 characters of `A-Z a-z 0-9 _ -`, unique, and the same
 * whenever the document is read. The name is the `operationId`. Operations without one, and those
 * that share one, are named by method and path. A name that is too long, or that two operations
 * would have, ends with a hash of method and path.
 *
 * @param prefix - The start of all names, `""` for none.
 */
export async function nameOperations(
  operations: readonly Operation[],
  prefix: string,
): Promise<ReadonlyMap<Operation, string>> {
  const byId = countBy(operations, ({ id }) => (id === undefined ? undefined : plain(`${prefix}${id}`)));
  const wanted = new Map(
    operations.map((operation) => {
      const { id, method, path } = operation;
      const own = id === undefined ? "" : plain(`${prefix}${id}`);
      const isOwn = own !== "" && byId.get(own) === 1;
      return [operation, isOwn ? own : plain(`${prefix}${method.toLowerCase()}_${path.slice(1) || "root"}`)];
    }),
  );
  const counts = countBy(operations, (operation) => wanted.get(operation));
  const names = new Map<Operation, string>();
  for (const [operation, name] of wanted) {
    const fits = name.length <= maxLength && counts.get(name) === 1;
    names.set(operation, fits ? name : await hashed(name, operation));
  }
  return names;
}

/** The text as a name: other characters become `_`. */
export function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "");
}

async function hashed(name: string, { method, path }: Operation): Promise<string> {
  return `${name.slice(0, maxLength - hashLength - 1)}_${await shortHash(`${method} ${path}`)}`;
}

/** Eight hexadecimal digits of the SHA-256 of a string. */
export async function shortHash(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes, 0, hashLength / 2), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

function countBy<T>(
  values: Iterable<T>,
  keyOf: (value: T) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) {
    const key = keyOf(value);
    if (key !== undefined) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
