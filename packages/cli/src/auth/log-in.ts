import { authorizationCode, type AuthEvent, type AuthStatus } from "@tenon/auth/client";
import { loopbackReceiver, oauthFor, openBrowser } from "@tenon/auth/node";
import type { NodeTransportOptions } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";
import { loginStore } from "./provider.ts";
import type { Remote } from "./remote.ts";

/** Options of {@link logIn}. */
export interface LogInOptions {
  readonly signal: AbortSignal;
  readonly scopes: readonly string[];
  readonly fetch: NodeTransportOptions["fetch"];
  /** Whether the page of the authorization server is opened in the browser of the user. */
  readonly opens: boolean;
  readonly onEvent: (event: AuthEvent) => void;
}

/** Logs the user in at a remote server, and stores the tokens for all commands. */
export async function logIn(
  invocation: Invocation,
  { label, url, profile }: Remote,
  { signal, scopes, fetch, opens, onEvent }: LogInOptions,
): Promise<AuthStatus> {
  const grant = authorizationCode({
    receiver: loopbackReceiver(),
    ...(opens ? { open: openBrowser } : {}),
  });
  const provider = oauthFor({
    account: profile,
    store: loginStore(invocation, (message) => invocation.printer.note(message)),
    fetch,
    grant,
    onEvent: (_, event) => onEvent(event),
  })(label, { url });
  try {
    await provider.login({ signal, scopes });
  } finally {
    await provider.close();
  }
  return provider.status;
}
