import { usesLogin } from "../auth/uses-login.ts";
import type { Invocation } from "../command/invocation.ts";
import { visible } from "../output/escape.ts";
import { forPeople } from "../output/for-people.ts";
import { missingLogin } from "../output/missing-login.ts";
import { isInteractive, Interrupted } from "../shell.ts";
import type { Target } from "../target/target.ts";

/** Errors for which no login is offered again: the person has declined, or it did not help. */
const settled = new WeakSet<Error>();

/**
 * Runs an attempt. If the server requires a login, a prompt at the terminal offers it, and the
 * attempt is repeated once. The server has refused the request, so nothing is done twice.
 */
export async function withLogin<T>(
  invocation: Invocation,
  target: Target,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(await offerLogin(invocation, target, error))) {
      throw error;
    }
  }
  return attempt().catch((error: unknown) => {
    settle(error);
    throw error;
  });
}

function settle(error: unknown): void {
  if (error instanceof Error) {
    settled.add(error);
  }
}

/** Offers a login. @returns Whether the user is logged in now. */
async function offerLogin(invocation: Invocation, target: Target, error: unknown): Promise<boolean> {
  const { flags, printer, shell, signal } = invocation;
  const isAtTerminal = isInteractive(shell) && shell.stdout.isTTY === true && printer.mode === "text";
  const missing = isAtTerminal ? missingLogin(error) : undefined;
  if (missing === undefined || (error instanceof Error && settled.has(error))) {
    return false;
  }
  if (target.kind !== "server" || !usesLogin(target.spec)) {
    return false;
  }
  const { askYes } = await import("./prompt.ts");
  printer.progress(undefined);
  printer.tell(visible(forPeople(missing.message)));
  const answer = await askYes("Log in now?", signal);
  if (answer === undefined) {
    throw signal.aborted ? signal.reason : new Interrupted();
  }
  if (!answer) {
    settle(error);
    return false;
  }
  const { loggedInText, logInHere } = await import("./log-in-here.ts");
  const { url, proxy } = target.spec;
  const remote = { label: target.label, url, profile: flags.text("profile") ?? "default", proxy };
  const loggedIn = await logInHere(invocation, remote, { scopes: missing.scopes, opens: true });
  printer.tell(loggedInText(remote, loggedIn));
  if (loggedIn.notice !== undefined) {
    printer.note(loggedIn.notice);
  }
  return true;
}
