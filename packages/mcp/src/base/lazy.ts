/** A module of this package that is loaded when it is first needed. */
export interface Lazy<M> {
  /**
   * Calls `work` with the module: at once if it is loaded, otherwise when it has been loaded. Calls
   * keep their order.
   *
   * @returns The value of `work`, or a promise of it if the module had to be loaded. The promise
   *   rejects if loading fails.
   */
  use<T>(work: (module: M) => T): T | Promise<Awaited<T>>;
  /** Loads the module; `undefined` if it is loaded. */
  load(): Promise<unknown> | undefined;
}

/** Puts off the loading of a module. @param load - Such as `() => import("./answer.ts")`. */
// @__NO_SIDE_EFFECTS__
export function lazy<M>(load: () => Promise<M>): Lazy<M> {
  let module: M | undefined;
  let loading: Promise<M> | undefined;
  const start = (): Promise<M> => {
    if (loading === undefined) {
      loading = load();
      // The first reaction to the promise: all waiting calls run at once, before any later call
      // finds the module loaded.
      loading.then(
        (loaded) => {
          module = loaded;
        },
        () => {
          loading = undefined;
        },
      );
    }
    return loading;
  };
  return {
    use: <T>(work: (module: M) => T): T | Promise<Awaited<T>> =>
      module === undefined ? (start().then(work) as Promise<Awaited<T>>) : work(module),
    load: () => (module === undefined ? start() : undefined),
  };
}
