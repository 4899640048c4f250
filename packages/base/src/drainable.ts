/**
 * The property of an object whose `close` takes `{ drainMs }`: how long running work may take to
 * finish, in milliseconds. Objects of other libraries may take something else there, such as a
 * callback.
 */
export const drainable: unique symbol = Symbol.for("@tenon/drainable");

/** Adds the property {@link drainable} to an object, and returns the object. */
export function markDrainable<T extends object>(object: T): T {
  return Object.defineProperty(object, drainable, { value: true });
}
