/**
 * Returns the object with only the properties that a protocol version has, in their order. Returns
 * the same object if it has no others.
 */
export function onlyFields<T extends object>(value: T, fields: ReadonlySet<string>): T {
  // An array of the names would take longer than the check. Inherited names are left out below.
  for (const name in value) {
    if (!fields.has(name)) {
      return Object.fromEntries(Object.entries(value).filter(([own]) => fields.has(own))) as T;
    }
  }
  return value;
}

/**
 * Returns the properties of an object that have one of these names and are not `undefined`, in
 * their order.
 */
export function pick(value: object, names: ReadonlySet<string>): object {
  const picked: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined && names.has(name)) {
      picked[name] = member;
    }
  }
  return picked;
}

/** Returns the object without properties that are `undefined`. */
export function defined<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}

/**
 * Marks a rejection as handled, so that the process does not end if nothing awaits the promise.
 */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/**
 * Reasons in one line: many user interfaces show an error message without its line breaks.
 *
 * @param reasons - One reason a line, as `explain` writes them.
 */
export function inOneLine(reasons: string): string {
  return reasons.replaceAll("\n", "; ");
}
