import { everySchema, type Schema } from "./keywords.ts";

/** Returns the value that a reference names, or `undefined`. */
export type Resolve = (ref: string) => unknown;

/**
 * Resolves the references inside of a schema: `#`, JSON Pointers, anchors, and the same behind the
 * `$id` of the schema. References to other documents are not resolved.
 */
export function resolverOf(root: Schema): Resolve {
  const id = root["$id"] ?? root["id"];
  const base = typeof id === "string" ? id.replace(/#$/, "") : "";
  const found = new Map<string, unknown>();
  let anchors: ReadonlyMap<unknown, Schema> | undefined;
  const resolve = (ref: string): unknown => {
    const local = base !== "" && ref.startsWith(base) ? ref.slice(base.length) : ref;
    if (local === "" || local === "#") {
      return root;
    }
    if (local.startsWith("#/")) {
      return pointTo(root, decoded(local));
    }
    if (!local.startsWith("#")) {
      return undefined;
    }
    anchors ??= new Map([...everySchema(root)].map((schema) => [schema["$anchor"], schema]));
    return anchors.get(local.slice(1));
  };
  return (ref) => {
    if (!found.has(ref)) {
      found.set(ref, resolve(ref));
    }
    return found.get(ref);
  };
}

/** A pointer in a fragment may be percent-encoded. */
function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

function pointTo(root: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, part) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, part)
          ? (value as Readonly<Record<string, unknown>>)[part]
          : undefined,
      root,
    );
}
