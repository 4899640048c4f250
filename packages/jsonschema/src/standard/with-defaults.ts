/** A check that applies defaults first. */
export function withDefaults<R>(validator: {
  applyDefaults(value: unknown): unknown;
  check(value: unknown): R;
}): (value: unknown) => R {
  return (value) => validator.check(validator.applyDefaults(value));
}
