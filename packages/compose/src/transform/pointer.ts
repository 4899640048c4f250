import { isRecord } from "@tenon/base";

import { referenceTo, withReferences } from "./references.ts";

/**
 * The tokens of a JSON pointer.
 *
 * @throws `TypeError` for an invalid pointer.
 * @source RFC 6901
 */
export function tokensOf(pointer: string): readonly string[] {
  if (pointer !== "" && !pointer.startsWith("/")) {
    throw new TypeError(`A JSON pointer must be empty or start with "/"; got ${JSON.stringify(pointer)}.`);
  }
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value that a pointer names; `undefined` if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const token of tokensOf(pointer)) {
    if (Array.isArray(at)) {
      at = /^(?:0|[1-9]\d*)$/.test(token) ? (at as readonly unknown[])[Number(token)] : undefined;
    } else {
      at = isRecord(at) && Object.hasOwn(at, token) ? at[token] : undefined;
    }
  }
  return at;
}

/**
 * The schema of the value that a pointer names, as far as `properties` and `items` tell; otherwise
 * `undefined`. Its references lead where they did.
 */
export function schemaAt(schema: object, pointer: string): object | undefined {
  const root = schema as Readonly<Record<string, unknown>>;
  const part = partAt(root, pointer);
  if (part === undefined) {
    return undefined;
  }
  const { $defs, definitions } = root;
  const found = {
    ...part,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  let isWhole = typeof part["$id"] !== "string";
  withReferences(found, (ref) => {
    isWhole &&= /^#\/(?:\$defs|definitions)\//.test(ref);
    return ref;
  });
  if (isWhole) {
    return found;
  }
  // Many generators refer to the first use of a schema, and by `#` to the root.
  const {
    $id: _,
    $schema: __,
    ...moved
  } = withReferences(root, (ref) =>
    /^#(?:\/|$)/.test(ref) ? referenceTo("$defs", wholeName) + ref.slice(1) : ref,
  );
  const { type } = part;
  return {
    // Versions of the protocol require it, where the part has it.
    ...(type === undefined ? {} : { type }),
    // A copy of the part would repeat its `$anchor` and `$id`.
    $ref: referenceTo("$defs", wholeName) + placeOf(root, pointer),
    $defs: { [wholeName]: moved },
  };
}

/** The definition with the schema that a part was cut from. */
const wholeName = "whole";

/** The end of a reference to the schema of the value at a pointer. */
function placeOf(schema: Readonly<Record<string, unknown>>, pointer: string): string {
  let place = "";
  walk(schema, pointer, (name) => {
    place += name === undefined ? "/items" : referenceTo("properties", name).slice(1);
  });
  return place;
}

function partAt(
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
): Readonly<Record<string, unknown>> | undefined {
  const part = walk(schema, pointer, () => {});
  return isRecord(part) ? part : undefined;
}

/** @param step - Called for each step: with the name of a property, or `undefined` for `items`. */
function walk(
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
  step: (property: string | undefined) => void,
): unknown {
  let at: unknown = schema;
  for (const token of tokensOf(pointer)) {
    const { properties, items } = (at ?? {}) as Readonly<Record<string, unknown>>;
    const isProperty = isRecord(properties) && Object.hasOwn(properties, token);
    step(isProperty ? token : undefined);
    at = isProperty ? properties[token] : items;
  }
  return at;
}
