import { join } from "node:path";

import type { AuthStore } from "@tenon/auth/client";
import { fileStore, oauthFor } from "@tenon/auth/node";
import type { NodeTransportOptions } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";

/**
 * The store of logins: sealed by the keychain of the system if there is one. @param onWarning -
 * Called if there is none. By default nothing is printed: only the command that writes a new
 * login has to tell the user how it is kept.
 */
export function loginStore(
  { shell }: Invocation,
  onWarning: (message: string) => void = () => {},
): AuthStore {
  const data = shell.env["XDG_DATA_HOME"];
  return fileStore({
    ...(data === undefined || data === "" ? {} : { directory: join(data, "tenon/auth") }),
    onWarning,
  });
}

/**
 * The credentials of remote servers, from an earlier `tenon login`. No other command starts a
 * login. @param fetch - Sends the requests of a renewal.
 */
export function authFor(
  invocation: Invocation,
  fetch: NodeTransportOptions["fetch"],
): NonNullable<NodeTransportOptions["auth"]> {
  const account = invocation.flags.text("profile") ?? "default";
  const onEvent = (server: string, event: { readonly type: string; readonly message?: string }): void => {
    if (event.type === "warning") {
      invocation.printer.warn(`${server}: ${event.message ?? ""}`);
    }
  };
  const providerOf = oauthFor({ account, store: loginStore(invocation), onEvent, fetch });
  return (label, spec) => {
    const provider = providerOf(label, spec);
    // The response to a refresh may be the only copy of the next refresh token.
    invocation.onEnd(() => provider.close());
    return provider;
  };
}
