import type { Invocation } from "../command/invocation.ts";
import { loggedInText, logInHere } from "../session/log-in-here.ts";
import { remoteOf } from "../target/remote.ts";

/** Logs the user in at the authorization server of a remote target. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer } = invocation;
  const remote = await remoteOf(invocation);
  const loggedIn = await logInHere(invocation, remote, {
    scopes: flags.list("scope").flatMap((scope) => scope.split(/[\s,]+/).filter(Boolean)),
    opens: !flags.has("no-browser"),
  });
  const { issuer, scopes, expiresAt, notice } = loggedIn;
  const { label: server, profile } = remote;
  printer.result({ server, profile, issuer, scopes, expiresAt }, () => loggedInText(remote, loggedIn));
  if (notice !== undefined) {
    printer.note(notice);
  }
}
