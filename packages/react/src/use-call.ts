import { useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";

import { createCallStore, type ToolCalls } from "./call-store.ts";
import type { ServerConnection } from "./server-store.ts";

/**
 * Calls a tool on demand: `const search = useCall(server, "search")`, and `search.call({ query })`
 * in a handler. A running call is cancelled when the component is unmounted, or the URL of the
 * server changes. For calls that run at the same time, use the hook several times.
 */
export function useCall({ session, onListChanged }: ServerConnection, name: string): ToolCalls {
  const current = useRef(session);
  // Before all other effects, which may call.
  useInsertionEffect(() => void (current.current = session));
  // `onListChanged` changes with the URL.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- results of another URL are not shown
  const store = useMemo(() => createCallStore(() => current.current, name), [onListChanged, name]);
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
