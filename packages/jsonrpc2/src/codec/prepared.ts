const texts = new WeakMap<object, string>();

/**
 * Freezes a result that will be sent repeatedly and serializes it once: `encode` then copies the
 * JSON text. The objects inside it must not change either. Transports that do not use `encode` see
 * an ordinary object. The text lives as long as the object.
 *
 * @throws `TypeError` for a value that JSON cannot represent.
 */
export function prepareResult<T extends object>(result: T): T {
  texts.set(result, JSON.stringify(result));
  return Object.freeze(result);
}

/** The JSON of a result that {@link prepareResult} was given. Copies of the result have none. */
export function preparedText(result: unknown): string | undefined {
  return typeof result === "object" && result !== null ? texts.get(result) : undefined;
}

/** A property whose JSON is known. */
export interface PreparedMember {
  readonly name: string;
  /** The name and the value, as written in an object. */
  readonly text: string;
}

const members = new WeakMap<object, PreparedMember>();

/**
 * Freezes a value that is a property of many params or results, such as the `_meta` of every
 * request of a session, and serializes it once. `encode` copies the text if the value is the
 * **first** property of params or of a result, under this name. Otherwise like
 * {@link prepareResult}.
 *
 * @throws `TypeError` for a value that JSON cannot represent.
 */
export function prepareMember<T extends object>(name: string, value: T): T {
  members.set(value, { name, text: `${JSON.stringify(name)}:${JSON.stringify(value)}` });
  return Object.freeze(value);
}

/**
 * The member that was extended last. It is usually written in the same turn. An entry of a
 * `WeakMap` for each message would cost more than the serialization that it saves.
 */
let latest: unknown;
let textOfLatest: (value: Readonly<Record<string, unknown>>) => PreparedMember | undefined;

/**
 * Returns a function that makes copies of a value that {@link prepareMember} returned, with one
 * property more, which comes first. `encode` copies the text of such a copy if no other copy has
 * been made since and its properties have not been changed, and otherwise serializes it like any
 * object. The copies are not frozen, because that takes longer than all the rest.
 *
 * @param prepared - Has at least one property, and none of this name.
 */
export function extendMember<T extends object>(
  prepared: T,
  property: string,
): (propertyValue: number | string) => T {
  const { name = "", text = "" } = members.get(prepared) ?? {};
  const start = text.indexOf("{") + 1;
  const before = `${text.slice(0, start)}${JSON.stringify(property)}:`;
  const after = `,${text.slice(start)}`;
  const template: Record<string, unknown> = { [property]: undefined, ...prepared };
  const size = Object.keys(template).length;
  let given: number | string;

  const textOf = (value: Readonly<Record<string, unknown>>): PreparedMember | undefined => {
    let left = size;
    for (const key in value) {
      if (!(key in template) || value[key] !== (key === property ? given : template[key])) {
        return undefined;
      }
      left--;
    }
    return left === 0 ? { name, text: before + JSON.stringify(given) + after } : undefined;
  };

  return (propertyValue) => {
    given = propertyValue;
    // To copy an object takes a tenth of the time of a spread into a new form.
    const value = { ...template };
    value[property] = given;
    latest = value;
    textOfLatest = textOf;
    return value as T;
  };
}

/** The first property of params or a result, if it was passed to {@link prepareMember}. */
export function preparedMember(payload: unknown): PreparedMember | undefined {
  // Before its first turn, a loop lists all indices of a string or an array, which may be millions.
  if (typeof payload !== "object" || Array.isArray(payload)) {
    return undefined;
  }
  // Objects of messages have a plain prototype, so this is their first own property. Values without
  // properties have none.
  for (const name in payload as object) {
    const value: unknown = (payload as Readonly<Record<string, unknown>>)[name];
    const member =
      value !== undefined && value === latest
        ? textOfLatest(value as Readonly<Record<string, unknown>>)
        : members.get(value as object);
    return member?.name === name ? member : undefined;
  }
  return undefined;
}
