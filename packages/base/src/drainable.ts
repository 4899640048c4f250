/**
 * The property that marks an object whose `close` accepts `{ drainMs }`, the maximum time for
 * running work to finish, in milliseconds. The `close` of an object from another library may accept
 * something else, such as a callback.
 */
export const drainable: unique symbol = Symbol.for("@tenon/drainable");

/** Adds the property {@link drainable} to an object, and returns the object. */
export function markDrainable<T extends object>(object: T): T {
  return Object.defineProperty(object, drainable, { value: true });
}
