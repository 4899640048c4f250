import { isRecord } from "@tenon/base";

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
 * `undefined`. References keep their definitions.
 */
export function schemaAt(schema: object, pointer: string): object | undefined {
  let at: unknown = schema;
  for (const token of tokensOf(pointer)) {
    const { properties, items } = (at ?? {}) as Readonly<Record<string, unknown>>;
    at = isRecord(properties) && Object.hasOwn(properties, token) ? properties[token] : items;
  }
  if (!isRecord(at)) {
    return undefined;
  }
  const { $defs, definitions } = schema as Readonly<Record<string, unknown>>;
  return {
    ...at,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}
