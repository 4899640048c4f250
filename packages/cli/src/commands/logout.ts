import { logOut } from "../auth/log-out.ts";
import { placeOf } from "../auth/remote.ts";
import type { Invocation } from "../command/invocation.ts";
import { proxyOf } from "../target/proxy.ts";
import { remoteOf } from "../target/remote.ts";

/** Revokes and deletes the tokens of a remote target. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer } = invocation;
  const remote = await remoteOf(invocation);
  const { label, profile } = remote;
  const ended = await logOut(invocation, remote, {
    fetch: proxyOf(invocation, remote.proxy),
    forget: flags.has("forget"),
  });
  printer.result({ server: label, profile }, () => `Logged out at ${placeOf(remote)}.`);
  ended.forEach((name) => printer.note(`@${name} is disconnected.`));
}
