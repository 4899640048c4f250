import { oauthFor } from "@tenon/auth/node";

import { loginStore } from "../auth/provider.ts";
import type { Invocation } from "../command/invocation.ts";
import { proxyOf } from "../target/proxy.ts";
import { remoteOf } from "../target/remote.ts";

/** Revokes and deletes the tokens of a remote target. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer } = invocation;
  const { label, url } = await remoteOf(invocation);
  const account = flags.text("profile") ?? "default";
  const fetch = proxyOf(invocation);
  const provider = oauthFor({ account, store: loginStore(invocation), fetch })(label, { url });
  try {
    await provider.logout({ forget: flags.has("forget") });
  } finally {
    await provider.close();
  }
  printer.result({ server: label, profile: account }, () => `Logged out at ${label}.`);
}
