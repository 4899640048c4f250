/** The properties of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** True if the value is an object as JSON knows it. */
export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True if the object has the property itself and it is not `undefined`. */
export function has(members: Members, name: string): boolean {
  return members[name] !== undefined && Object.hasOwn(members, name);
}

/** A test for the property of that name, for objects that may have inherited it. */
export function memberTest(name: string): (members: Members) => boolean {
  return name in Object.prototype
    ? (members) => has(members, name)
    : (members) => members[name] !== undefined;
}
