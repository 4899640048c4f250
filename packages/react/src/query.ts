import type { ClientSession } from "@tenon/mcp/client";
import { useMemo, useSyncExternalStore } from "react";

import { createStore, type ExternalStore } from "./external-store.ts";
import type { ServerConnection } from "./server-store.ts";

/** The result of a request that a hook sends, and sends again after changes. */
export type Loaded<T> = {
  /** Sends the request again. */
  readonly reload: () => void;
} & (
  | {
      /** `waiting`: there is no connection. `loading`: the request is in flight. */
      readonly status: "waiting" | "loading";
      /** The last result of this request, if there is one, including of an earlier connection. */
      readonly value: T | undefined;
      readonly error: undefined;
    }
  | { readonly status: "ready"; readonly value: T; readonly error: undefined }
  | {
      readonly status: "failed";
      /** As for `waiting`. */
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

/** The part of a query that all connections share. */
interface QueryMemory<T> {
  /** The last result. The next connection continues with it. */
  value: T | undefined;
  /** Sends the request again, in the connection of the store that the component reads. */
  load: (() => void) | undefined;
  /** The same function in each connection. */
  readonly reload: () => void;
}

function createMemory<T>(): QueryMemory<T> {
  const memory: QueryMemory<T> = { value: undefined, load: undefined, reload: () => memory.load?.() };
  return memory;
}

/**
 * Reads something while the component is mounted.
 *
 * @param make - Returns `undefined` if there is nothing to read.
 * @param dependencies - Everything else that `make` uses.
 */
export function useQuery<T>(
  { session, onListChanged }: ServerConnection,
  make: (session: ClientSession) => Query<T> | undefined,
  dependencies: readonly unknown[],
): Loaded<T> {
  // `onListChanged` changes with the URL.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- results of another query are not shown
  const memory = useMemo(() => createMemory<T>(), [onListChanged, ...dependencies]);
  const store = useMemo<ExternalStore<Loaded<T>>>(() => {
    const query = session && make(session);
    return query === undefined ? createWaitingStore(memory) : createQueryStore(query, memory);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `memory` changes with all others
  }, [session, memory]);
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}

function createWaitingStore<T>({ value, reload }: QueryMemory<T>): ExternalStore<Loaded<T>> {
  const waiting: Loaded<T> = { status: "waiting", value, error: undefined, reload };
  return { subscribe: () => () => undefined, snapshot: () => waiting };
}

/**
 * Creates the store of a query. One request is in flight at a time: all changes
 * during that time become one more request.
 */
function createQueryStore<T>(query: Query<T>, memory: QueryMemory<T>): ExternalStore<Loaded<T>> {
  const { reload } = memory;
  const store = createStore<Loaded<T>>(
    { status: "loading", value: memory.value, error: undefined, reload },
    () => {
      const ending = new AbortController();
      const load = start(ending.signal);
      memory.load = load;
      load();
      return () => {
        ending.abort();
        // The store of the next connection starts before this one ends.
        if (memory.load === load) {
          memory.load = undefined;
        }
      };
    },
  );

  function start(signal: AbortSignal): () => void {
    let isLoading = false;
    let isFollowing = false;
    let isStale = false;
    /** Whether a cached result does not do: later requests follow a change or an error. */
    let fresh = store.snapshot().value !== undefined;

    function show(state: Pick<Loaded<T>, "status" | "value" | "error">): void {
      if (!signal.aborted) {
        memory.value = state.value;
        store.set({ ...state, reload } as Loaded<T>);
      }
    }

    async function run(): Promise<void> {
      while (!signal.aborted) {
        isStale = false;
        const { value } = store.snapshot();
        show({ status: "loading", value, error: undefined });
        const isFresh = fresh;
        fresh = true;
        try {
          show({ status: "ready", value: await query.load(signal, isFresh), error: undefined });
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
