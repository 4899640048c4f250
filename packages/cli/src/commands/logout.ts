import { logOut } from "../auth/log-out.ts";
import type { Invocation } from "../command/invocation.ts";
import { proxyOf } from "../target/proxy.ts";
import { remoteOf } from "../target/remote.ts";

/** Revokes and deletes the tokens of a remote target. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer } = invocation;
  const remote = await remoteOf(invocation);
  const { label, profile } = remote;
  const ended = await logOut(invocation, remote, {
    fetch: proxyOf(invocation),
    forget: flags.has("forget"),
  });
  const where = profile === "default" ? label : `${label} (profile ${profile})`;
  printer.result({ server: label, profile }, () => `Logged out at ${where}.`);
  ended.forEach((name) => printer.note(`@${name} is disconnected.`));
}
