import { isRecord } from "@tenon/base";

/** Reads a document by JSON pointers. */
export interface Pointers {
  /**
   * The value that a reference names; `undefined` if there is none, or it is in another document.
   */
  resolve(reference: string): unknown;
  /**
   * The value itself, or the value that its reference leads to. `undefined` for a reference that
   * leads nowhere or in a circle.
   */
  follow(value: unknown): unknown;
}

/** Maximum number of references that lead to one another. */
const maxChain = 32;

/** Makes {@link Pointers} for a document. */
export function pointersOf(document: object): Pointers {
  const known = new Map<string, unknown>();

  function resolve(reference: string): unknown {
    if (!known.has(reference)) {
      known.set(reference, find(document, reference));
    }
    return known.get(reference);
  }

  return {
    resolve,
    follow(value) {
      let current = value;
      for (let steps = 0; steps < maxChain; steps++) {
        const reference = isRecord(current) ? current["$ref"] : undefined;
        if (typeof reference !== "string") {
          return current;
        }
        current = resolve(reference);
      }
      return undefined;
    },
  };
}

function find(document: object, reference: string): unknown {
  if (reference === "#") {
    return document;
  }
  if (!reference.startsWith("#/")) {
    return undefined;
  }
  let value: unknown = document;
  for (const part of reference.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
