import { oauthFor } from "@tenon/auth/node";
import type { NodeTransportOptions } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";
import { askDaemon, endMs, isDaemonRunning } from "../kept/client.ts";
import { messageOf, textOf } from "../output/escape.ts";
import { closeProvider } from "./close-provider.ts";
import { forgetLogin } from "./logins.ts";
import { afterLogin, loginStore } from "./provider.ts";
import type { Remote } from "./remote.ts";

/** Options of {@link logOut}. */
export interface LogOutOptions {
  readonly fetch: NodeTransportOptions["fetch"];
  /** Whether the registration of the client is deleted as well. Default: `false`. */
  readonly forget?: boolean | undefined;
}

/**
 * Revokes and deletes the tokens of a remote server, for all commands, and ends the kept
 * connections that use them: not every authorization server can revoke tokens.
 *
 * @returns The names of the connections.
 */
export async function logOut(
  invocation: Invocation,
  { label, url, profile }: Remote,
  { fetch, forget = false }: LogOutOptions,
): Promise<readonly string[]> {
  const store = loginStore(invocation);
  const provider = oauthFor({ account: profile, store, fetch })(label, { url });
  try {
    await provider.logout({ forget });
    await forgetLogin(store, { url, profile }).catch((error: unknown) => {
      invocation.printer.warn(`tenon auth status may still list this login. ${messageOf(error)}`);
    });
  } finally {
    await closeProvider(provider, invocation, label);
    afterLogin(invocation);
  }
  const { shell, printer } = invocation;
  try {
    const { names } = (await isDaemonRunning(shell))
      ? await askDaemon(shell, { action: "logout", url, profile }, endMs)
      : {};
    return Array.isArray(names) ? names.map((name) => textOf(name)) : [];
  } catch (error) {
    // The logout has succeeded.
    printer.warn(`A kept connection may still use the login. ${messageOf(error)}`);
    return [];
  }
}
