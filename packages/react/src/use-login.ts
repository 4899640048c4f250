import { useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";

import { createLoginStore, type Login, type LoginProvider } from "./login-store.ts";

/**
 * Logs the user in, in a popup: `const login = useLogin(oauth, server.reconnect)`, and
 * `login.start()` in the handler of a click. The page of the redirect URI calls
 * {@link reportLogin}. The login is cancelled when the component is unmounted.
 *
 * @param provider - Create it outside of the component, or in `useMemo`: a change ends a
 *   running login.
 * @param onDone - Called after each login. Its errors are passed to `reportError`.
 */
export function useLogin(provider: LoginProvider, onDone: () => void): Login {
  const done = useRef(onDone);
  useInsertionEffect(() => void (done.current = onDone));
  const store = useMemo(() => createLoginStore(provider, () => done.current()), [provider]);
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
