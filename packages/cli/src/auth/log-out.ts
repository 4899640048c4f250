import { oauthFor } from "@tenon/auth/node";
import type { NodeTransportOptions } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";
import { loginStore } from "./provider.ts";

/** Options of {@link logOut}. */
export interface LogOutOptions {
  readonly fetch: NodeTransportOptions["fetch"];
  /** Whether the registration of the client is deleted as well. Default: `false`. */
  readonly forget?: boolean | undefined;
}

/** Revokes and deletes the tokens of a remote server, for all commands. Returns the profile. */
export async function logOut(
  invocation: Invocation,
  { label, url }: { readonly label: string; readonly url: string },
  { fetch, forget = false }: LogOutOptions,
): Promise<string> {
  const account = invocation.flags.text("profile") ?? "default";
  const provider = oauthFor({ account, store: loginStore(invocation), fetch })(label, { url });
  try {
    await provider.logout({ forget });
  } finally {
    await provider.close();
  }
  return account;
}
