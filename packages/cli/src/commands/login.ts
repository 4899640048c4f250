import { logIn } from "../auth/log-in.ts";
import type { Invocation } from "../command/invocation.ts";
import { visible, visibleLine } from "../output/escape.ts";
import { proxyOf } from "../target/proxy.ts";
import { remoteOf } from "../target/remote.ts";

/** Logs the user in at the authorization server of a remote target. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, signal } = invocation;
  const remote = await remoteOf(invocation);
  const { label } = remote;
  printer.progress(`Waiting for the login at ${label} …`);
  const { issuer, scopes, expiresAt } = await logIn(invocation, remote, {
    signal,
    scopes: flags.list("scope").flatMap((scope) => scope.split(/[\s,]+/).filter(Boolean)),
    fetch: proxyOf(invocation),
    opens: !flags.has("no-browser"),
    onEvent(event) {
      if (event.type === "visit") {
        printer.note(`Open this page to log in:\n${visible(event.url.href)}`);
      } else if (event.type === "warning") {
        printer.warn(event.message);
      }
    },
  });
  printer.result(
    { server: label, issuer, scopes, expiresAt },
    () =>
      `Logged in at ${label}${issuer === undefined ? "" : ` by ${visibleLine(issuer)}`}${scopesText(scopes)}.`,
  );
}

function scopesText(scopes: readonly string[] = []): string {
  const [first] = scopes;
  return first === undefined
    ? ""
    : `, with the scope${scopes.length === 1 ? "" : "s"} ${visibleLine(scopes.join(" "))}`;
}
