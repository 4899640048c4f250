import { oauthFor } from "@tenon/auth/node";
import { redactTarget } from "@tenon/http/redact";

import { closeProvider } from "../auth/close-provider.ts";
import { readLogins, type Login } from "../auth/logins.ts";
import { loginStore } from "../auth/provider.ts";
import type { Remote } from "../auth/remote.ts";
import { haveOneLogin } from "../auth/uses-login.ts";
import type { Invocation } from "../command/invocation.ts";
import { exitCodes } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { forPeople } from "../output/for-people.ts";
import { configuredProxies } from "../target/configured-proxies.ts";
import { proxyOf } from "../target/proxy.ts";
import { remoteOf } from "../target/remote.ts";
import { signalWithin } from "../target/transport.ts";

/** A login as it is printed. */
interface Row {
  readonly url: string;
  readonly profile: string;
  readonly isValid: boolean;
  readonly issuer?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: number | undefined;
  readonly problem?: string | undefined;
}

/**
 * Maximum time to renew expired tokens without `--timeout`, in milliseconds. A request that was
 * sent is awaited longer, because its response has the next tokens.
 */
const renewalMs = 10_000;

/** Prints the servers at which the user is logged in, or whether this is so at one server. */
export async function run(invocation: Invocation): Promise<number> {
  const { printer } = invocation;
  const named = invocation.operand("target") === undefined ? undefined : await remoteOf(invocation);
  const listed = (await readLogins(loginStore(invocation))).filter(
    ({ url, profile }) => named === undefined || (profile === named.profile && haveOneLogin(url, named.url)),
  );
  // A login of an earlier version is not in the list.
  const logins = listed.length === 0 && named !== undefined ? [named] : listed;
  const proxyFor = named === undefined ? await configuredProxies(invocation) : () => named.proxy;
  const rows = (await Promise.all(logins.map((each) => rowOf(invocation, each, proxyFor(each.url))))).filter(
    ({ isValid, problem }) => isValid || problem !== undefined || listed.length > 0,
  );
  const nowhere =
    named === undefined ? "You are not logged in at any server." : `You are not logged in at ${named.label}.`;
  const printed = rows.map((row) => ({ ...row, url: redactTarget(row.url) }));
  printer.result({ logins: printed }, () =>
    rows.length === 0 ? nowhere : rows.flatMap((row) => linesOf(invocation, row)).join("\n"),
  );
  return named !== undefined && !rows.some(({ isValid }) => isValid) ? exitCodes.authorization : exitCodes.ok;
}

/** Renews the tokens of a login if they have expired, as every command does that uses them. */
async function rowOf(
  invocation: Invocation,
  { url, profile }: Pick<Login, "url" | "profile">,
  proxy: Remote["proxy"],
): Promise<Row> {
  const ms = invocation.flags.duration("timeout") ?? renewalMs;
  const provider = oauthFor({
    account: profile,
    store: loginStore(invocation),
    fetch: proxyOf(invocation, proxy),
  })(url, { url });
  using signal = signalWithin(invocation.signal, ms);
  try {
    const headers = await provider.headers({ url: new URL(url), method: "POST", signal });
    const { issuer, scopes, expiresAt } = provider.status;
    return { url, profile, isValid: headers !== undefined, issuer, scopes, expiresAt };
  } catch (error) {
    invocation.signal.throwIfAborted();
    const { issuer, scopes } = provider.status;
    return { url, profile, isValid: false, issuer, scopes, problem: forPeople(messageOf(error)) };
  } finally {
    await closeProvider(provider, invocation, redactTarget(url));
  }
}

function linesOf({ printer: { style } }: Invocation, row: Row): readonly string[] {
  const { url, profile, isValid, issuer, scopes = [], expiresAt, problem } = row;
  const facts = [
    ...(profile === "default" ? [] : [`profile ${profile}`]),
    ...(issuer === undefined ? [] : [`by ${issuer}`]),
    ...(scopes.length === 0 ? [] : [`scope${scopes.length === 1 ? "" : "s"} ${scopes.join(" ")}`]),
    ...(isValid ? [validity(expiresAt)] : [problem ?? "the login has expired: log in again"]),
  ];
  const mark = isValid ? style.good("✓") : style.bad("✗");
  return [`${mark} ${visibleLine(redactTarget(url))}`, ...facts.map((fact) => `  ${visibleLine(fact)}`)];
}

function validity(expiresAt: number | undefined): string {
  if (expiresAt === undefined) {
    return "valid, without a known end";
  }
  const end = new Date(expiresAt);
  return `valid until ${end.toLocaleString("sv-SE")}, then renewed if the server allows it`;
}
