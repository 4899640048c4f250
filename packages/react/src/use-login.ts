import { checkOptionNames } from "@tenon/base";
import { useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";

import { createLoginStore, type Login, type LoginProvider } from "./login-store.ts";
import { popup } from "./popup.ts";
import { redirect } from "./redirect.ts";

/** Options of {@link useLogin}. */
export interface UseLoginOptions {
  /**
   * Whether the page itself visits the authorization server, instead of a popup. The redirect URI
   * is then this page, which finishes the login when it is loaded again, and removes the response
   * from its URL. The provider must keep the login in a store that outlives the page. One component
   * of a page can have this option. Default: `false`.
   */
  readonly redirect?: boolean | undefined;
}

/**
 * Logs the user in, in a popup: `const login = useLogin(oauth, server.reconnect)`, and
 * `login.start()` in the handler of a click. The page of the redirect URI calls `reportLogin`. The
 * login is cancelled when the component is unmounted.
 *
 * @param provider - Create it outside of the component, or in `useMemo`: a change ends a
 *   running login.
 * @param onDone - Called after each login. Its errors are passed to `reportError`.
 * @throws `TypeError` for options that do not exist.
 */
export function useLogin(provider: LoginProvider, onDone: () => void, options: UseLoginOptions = {}): Login {
  checkOptionNames("useLogin", options, "redirect");
  const done = useRef(onDone);
  useInsertionEffect(() => void (done.current = onDone));
  const way = options.redirect === true ? redirect : popup;
  const store = useMemo(() => createLoginStore(provider, way, () => done.current()), [provider, way]);
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
