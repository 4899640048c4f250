import { isAbsolute, join } from "node:path";

import type { AuthStore } from "@tenon/auth/client";
import { fileStore, oauthFor } from "@tenon/auth/node";
import type { NodeTransportOptions } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";
import { closeProvider } from "./close-provider.ts";
import { renewedElsewhere } from "./renewed-elsewhere.ts";

/** Maximum time for the keychain while a command line is completed, in milliseconds. */
const keychainMs = 1000;

/**
 * The store of logins: sealed by the keychain of the system if there is one. @param onWarning -
 * Called if there is none. By default nothing is printed: only the command that writes a new
 * login has to tell the user how it is kept.
 */
export function loginStore(
  { shell, isCompletion }: Invocation,
  onWarning: (message: string) => void = () => {},
): AuthStore {
  const data = shell.env["XDG_DATA_HOME"];
  return fileStore({
    ...(data !== undefined && isAbsolute(data) ? { directory: join(data, "tenon/auth") } : {}),
    ...(isCompletion === true ? { limits: { keychainMs } } : {}),
    onWarning,
  });
}

type ProviderOf = NonNullable<NodeTransportOptions["auth"]>;

/** One provider serves all connections of a command to a server: a command may open many. */
const providers = new WeakMap<Invocation, Map<string, ReturnType<ProviderOf>>>();

/**
 * The credentials of remote servers, from an earlier `tenon login`. No other command starts a
 * login. @param fetch - Sends the requests of a renewal.
 */
export function authFor(invocation: Invocation, fetch: NodeTransportOptions["fetch"]): ProviderOf {
  const account = invocation.flags.text("profile") ?? "default";
  const onEvent = (server: string, event: { readonly type: string; readonly message?: string }): void => {
    if (event.type === "warning") {
      invocation.printer.warn(`${server}: ${event.message ?? ""}`);
    }
  };
  return (label, spec) => {
    const known = providers.get(invocation) ?? new Map<string, ReturnType<ProviderOf>>();
    providers.set(invocation, known);
    const key = JSON.stringify([label, spec.url, spec.proxy]);
    const present = known.get(key);
    if (present !== undefined) {
      return present;
    }
    const own = loginStore(invocation);
    const store = invocation.isCompletion === true ? renewedElsewhere(own, invocation, account) : own;
    const provider = oauthFor({ account, store, onEvent, fetch })(label, spec);
    known.set(key, provider);
    // The response to a refresh may be the only copy of the next refresh token.
    invocation.onEnd(() => closeProvider(provider, invocation, label));
    return provider;
  };
}

/** The next connections of a command read the store again. Called after a login or a logout. */
export function afterLogin(invocation: Invocation): void {
  providers.delete(invocation);
}
