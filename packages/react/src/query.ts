import { useMemo, useSyncExternalStore } from "react";

import { createStore, type ExternalStore } from "./external-store.ts";

/** The result of a request that a hook sends, and sends again after changes. */
export type Loaded<T> = {
  /** Sends the request again. */
  readonly reload: () => void;
} & (
  | {
      /** `waiting`: there is no connection. `loading`: the request is in flight. */
      readonly status: "waiting" | "loading";
      /** The last result, if there is one. */
      readonly value: T | undefined;
      readonly error: undefined;
    }
  | { readonly status: "ready"; readonly value: T; readonly error: undefined }
  | {
      readonly status: "failed";
      /** The last result, if there is one. */
      readonly value: T | undefined;
      readonly error: unknown;
    }
);

/** A request, and the notifications of its changes. */
export interface Query<T> {
  /** @param fresh - Whether a cached result does not do. */
  load(signal: AbortSignal, fresh: boolean): Promise<T>;
  /** Calls `changed` after each change. Settles when there will be no further call. */
  follow?(changed: () => void, signal: AbortSignal): Promise<void>;
}

const waiting: Loaded<never> = {
  status: "waiting",
  value: undefined,
  error: undefined,
  reload: () => undefined,
};
const nothing: ExternalStore<Loaded<never>> = { subscribe: () => () => undefined, snapshot: () => waiting };

/**
 * Reads something while the component is mounted.
 *
 * @param make - Returns `undefined` if there is nothing to read from.
 * @param dependencies - Everything that `make` uses.
 */
export function useQuery<T>(make: () => Query<T> | undefined, dependencies: readonly unknown[]): Loaded<T> {
  const store = useMemo<ExternalStore<Loaded<T>>>(() => {
    const query = make();
    return query === undefined ? nothing : createQueryStore(query);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller names them
  }, dependencies);
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}

/**
 * Creates the store of a query. One request is in flight at a time: all changes
 * during that time become one more request.
 */
function createQueryStore<T>(query: Query<T>): ExternalStore<Loaded<T>> {
  let load: (() => void) | undefined;
  const reload = (): void => load?.();
  const store = createStore<Loaded<T>>(
    { status: "loading", value: undefined, error: undefined, reload },
    () => {
      const ending = new AbortController();
      load = start(ending.signal);
      load();
      return () => {
        ending.abort();
        load = undefined;
      };
    },
  );

  function start(signal: AbortSignal): () => void {
    let isLoading = false;
    let isFollowing = false;
    let isStale = false;

    function show(state: Pick<Loaded<T>, "status" | "value" | "error">): void {
      if (!signal.aborted) {
        store.set({ ...state, reload } as Loaded<T>);
      }
    }

    async function run(): Promise<void> {
      for (let fresh = store.snapshot().value !== undefined; !signal.aborted; fresh = true) {
        isStale = false;
        const { value } = store.snapshot();
        show({ status: "loading", value, error: undefined });
        try {
          show({ status: "ready", value: await query.load(signal, fresh), error: undefined });
        } catch (error) {
          show({ status: "failed", value, error });
        }
        if (!isStale) {
          break;
        }
      }
      isLoading = false;
    }

    function loadAgain(): void {
      isStale = true;
      if (!isLoading) {
        isLoading = true;
        void run();
      }
      if (!isFollowing && query.follow !== undefined) {
        isFollowing = true;
        query
          .follow(loadAgain, signal)
          .catch((error: unknown) => show({ status: "failed", value: store.snapshot().value, error }))
          .finally(() => (isFollowing = false));
      }
    }

    return loadAgain;
  }

  return store;
}
