/**
 * Names a piece of state and makes its first value. Features keep what belongs to one session in
 * it, never on the client or server.
 */
export interface StateKey<T> {
  readonly create: () => T;
}

/** Makes a key for {@link SessionState}. Call it once, at module level. */
// @__NO_SIDE_EFFECTS__
export function stateKey<T>(create: () => T): StateKey<T> {
  return { create };
}

/** The state that features keep for one session. It has no cost until it is used. */
export class SessionState {
  #values: Map<StateKey<unknown>, unknown> | undefined;

  /** The value of a key, made on first use. */
  get<T>(key: StateKey<T>): T {
    this.#values ??= new Map();
    if (!this.#values.has(key)) {
      this.#values.set(key, key.create());
    }
    return this.#values.get(key) as T;
  }

  /** The value of a key, if it was ever made. */
  peek<T>(key: StateKey<T>): T | undefined {
    return this.#values?.get(key) as T | undefined;
  }
}
