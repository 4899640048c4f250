import { authorizationCode, type AuthEvent, type AuthStatus } from "@tenon/auth/client";
import { loopbackReceiver, oauthFor, type openBrowser } from "@tenon/auth/node";
import type { NodeTransportOptions } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";
import { messageOf } from "../output/escape.ts";
import { closeProvider } from "./close-provider.ts";
import { rememberLogin } from "./logins.ts";
import { afterLogin, loginStore } from "./provider.ts";
import type { Remote } from "./remote.ts";

/** Options of {@link logIn}. */
export interface LogInOptions {
  readonly signal: AbortSignal;
  readonly scopes: readonly string[];
  readonly fetch: NodeTransportOptions["fetch"];
  /** Opens the page of the authorization server in the browser of the user, or throws. */
  readonly open?: typeof openBrowser | undefined;
  readonly onEvent: (event: AuthEvent) => void;
}

/** The status after a login. */
export interface LoggedIn extends AuthStatus {
  /** A notice about the store, after the first login without a keychain. */
  readonly notice?: string | undefined;
}

/** How long a login waits for the user. */
export const loginMinutes = 10;
const timeoutMs = loginMinutes * 60_000;

/** Logs the user in at a remote server, and stores the tokens for all commands. */
export async function logIn(
  invocation: Invocation,
  { label, url, profile }: Remote,
  { signal, scopes, fetch, open, onEvent }: LogInOptions,
): Promise<LoggedIn> {
  const grant = authorizationCode({
    receiver: loopbackReceiver({ limits: { timeoutMs } }),
    ...(open === undefined ? {} : { open }),
  });
  let isSealed = true;
  const store = loginStore(invocation, () => (isSealed = false));
  const provider = oauthFor({
    account: profile,
    store,
    fetch,
    grant,
    limits: { flowTimeoutMs: timeoutMs },
    onEvent: (_, event) => onEvent(event),
  })(label, { url });
  try {
    await provider.login({ signal, scopes });
  } finally {
    await closeProvider(provider, invocation, label);
    afterLogin(invocation);
  }
  const isFirst = await rememberLogin(store, { url, profile }).catch((error: unknown) => {
    invocation.printer.warn(`tenon auth status will not list this login. ${messageOf(error)}`);
    return false;
  });
  const notice = "There is no keychain: the login is in files that only you can read.";
  return { ...provider.status, ...(isFirst && !isSealed ? { notice } : {}) };
}
