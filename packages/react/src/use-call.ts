import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

import { createCallStore, type ToolCalls } from "./call-store.ts";
import type { ServerConnection } from "./server-store.ts";

/**
 * Calls a tool on demand: `const search = useCall(server, "search")`, and `search.call({ query })`
 * in a handler. A running call is cancelled when the component is
 * unmounted. For calls that run at the same time, use the hook several times.
 */
export function useCall({ session, inputs }: ServerConnection, name: string): ToolCalls {
  const waiting = useRef(inputs);
  useEffect(() => void (waiting.current = inputs));
  const store = useMemo(() => createCallStore(session, name, () => waiting.current), [session, name]);
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
