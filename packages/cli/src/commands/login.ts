import { authorizationCode } from "@tenon/auth/client";
import { loopbackReceiver, oauthFor, openBrowser } from "@tenon/auth/node";

import { loginStore } from "../auth/provider.ts";
import type { Invocation } from "../command/invocation.ts";
import { visible, visibleLine } from "../output/escape.ts";
import { proxyOf } from "../target/proxy.ts";
import { remoteOf } from "../target/remote.ts";

/** Logs the user in at the authorization server of a remote target. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, signal } = invocation;
  const { label, url } = await remoteOf(invocation);
  const opens = !flags.has("no-browser");
  const grant = authorizationCode({
    receiver: loopbackReceiver(),
    ...(opens ? { open: openBrowser } : {}),
  });
  const provider = oauthFor({
    account: flags.text("profile") ?? "default",
    store: loginStore(invocation, (message) => printer.note(message)),
    fetch: proxyOf(invocation),
    grant,
    onEvent(_, event) {
      if (event.type === "visit") {
        printer.note(`Open this page to log in:\n${visible(event.url.href)}`);
      } else if (event.type === "warning") {
        printer.warn(event.message);
      }
    },
  })(label, { url });
  try {
    printer.progress(`Waiting for the login at ${label} …`);
    const scopes = flags.list("scope").flatMap((scope) => scope.split(/[\s,]+/).filter(Boolean));
    await provider.login({ signal, scopes });
  } finally {
    await provider.close();
  }
  const { issuer, scopes, expiresAt } = provider.status;
  printer.result(
    { server: label, issuer, scopes, expiresAt },
    () =>
      `Logged in at ${label}${issuer === undefined ? "" : ` by ${visibleLine(issuer)}`}${scopes === undefined ? "" : `: ${visibleLine(scopes.join(" "))}`}`,
  );
}
