import { openBrowser } from "@tenon/auth/node";

import { logIn, loginMinutes, type LoggedIn } from "../auth/log-in.ts";
import { placeOf, type Remote } from "../auth/remote.ts";
import type { Invocation } from "../command/invocation.ts";
import { messageOf, visible, visibleLine } from "../output/escape.ts";
import { proxyOf } from "../target/proxy.ts";

/** Options of {@link logInHere}. */
export interface LogInHereOptions {
  readonly scopes: readonly string[];
  /** Whether the page of the authorization server is opened in the browser of the user. */
  readonly opens: boolean;
}

/** Logs the user in, and prints whether a browser shows the page or the user has to open it. */
export async function logInHere(
  invocation: Invocation,
  remote: Remote,
  { scopes, opens }: LogInHereOptions,
): Promise<LoggedIn> {
  const { printer, signal } = invocation;
  const waits = `Waiting for the login, up to ${loginMinutes} minutes. Ctrl-C ends it.`;
  let why = "";
  return logIn(invocation, remote, {
    signal,
    scopes,
    fetch: proxyOf(invocation, remote.proxy),
    ...(opens
      ? {
          async open(url): Promise<void> {
            try {
              await openBrowser(url);
            } catch (error) {
              why = `${messageOf(error)} `;
              throw error;
            }
            printer.tell(
              `The browser shows the login page. If it does not, open:\n${visible(typeof url === "string" ? url : url.href)}\n${waits}`,
            );
          },
        }
      : {}),
    onEvent(event) {
      if (event.type === "visit") {
        printer.tell(`${why}Open this page to log in:\n${visible(event.url.href)}\n${waits}`);
      } else if (event.type === "warning") {
        printer.warn(event.message);
      }
    },
  });
}

/** Describes a login for the user: its server, its profile, its issuer and its scopes. */
export function loggedInText(remote: Remote, { issuer, scopes = [] }: LoggedIn): string {
  const by = issuer === undefined ? "" : ` by ${visibleLine(issuer)}`;
  const granted =
    scopes.length === 0
      ? ""
      : `, with the scope${scopes.length === 1 ? "" : "s"} ${visibleLine(scopes.join(" "))}`;
  return `Logged in at ${placeOf(remote)}${by}${granted}.`;
}
