import { createHash } from "node:crypto";

import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { isSameOrigin } from "../http/same-origin.ts";
import { problemPage } from "../pages/consent.ts";
import { escaped, page, told } from "../pages/html.ts";
import type { Accounts, Consent } from "./accounts.ts";
import type { Login } from "./login.ts";
import type { Sessions } from "./sessions.ts";

/** The parts of the account page. */
export interface AccountPagesParts {
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  readonly login: Login;
  /** Returns after how many milliseconds a login may begin, or 0. */
  readonly waitMs: (address: string | undefined) => Promise<number>;
  readonly server: string;
  readonly origin: string;
  readonly base: string;
}

/** The page that shows users the clients with access. */
export interface AccountPages {
  show(request: BrokerRequest): Promise<BrokerResponse>;
  change(request: BrokerRequest): Promise<BrokerResponse>;
}

/** Creates the account page. */
export function createAccountPages(parts: AccountPagesParts): AccountPages {
  const { sessions, accounts, login, server, origin, base } = parts;
  /** A form of this browser: no other site knows its cookie. */
  const nonceOf = (request: BrokerRequest): string =>
    createHash("sha256")
      .update(`account ${sessions.browser(request)}`)
      .digest("base64url");

  function clientRow(id: string, consent: Consent, hidden: string): string {
    const { clientName, redirectHosts, scopes, at } = consent;
    return `<dt>${told(clientName)}</dt><dd>${redirectHosts.map((host) => told(host, 200)).join(", ")}<br>
${scopes.map(escaped).join(", ")}<br>allowed on ${new Date(at).toISOString().slice(0, 10)}
<form method="post" action="${escaped(base)}/account">${hidden}<input type="hidden" name="client" value="${escaped(id)}">
<button name="do" value="revoke">End the access of ${told(clientName)}</button></form></dd>`;
  }

  return {
    async show(request) {
      const session = await sessions.find(request);
      const record = session === undefined ? undefined : await accounts.find(session.subject);
      if (record === undefined) {
        return login.door(`${base}/account`);
      }
      const hidden = `<input type="hidden" name="nonce" value="${nonceOf(request)}">`;
      const rows = Object.entries(record.consents).map(([id, consent]) => clientRow(id, consent, hidden));
      const { subject, name, email } = record.account;
      return page(200, {
        title: `Your account at ${server}`,
        body: `<p>${told(email ?? name ?? subject, 120)} (${told(subject, 120)})</p>
<h2>Programs with access</h2>
${rows.length === 0 ? "<p>None.</p>" : `<dl>${rows.join("\n")}</dl>`}
<form method="post" action="${escaped(base)}/account">${hidden}
<button name="do" value="revoke-all">End the access of all programs</button>
<button name="do" value="log-out">Log out in this browser</button>
<button name="do" value="log-out-everywhere">Log out in all browsers</button></form>`,
      });
    },
    async change(request) {
      const session = await sessions.find(request);
      const form = new URLSearchParams(request.body.toString());
      const entry = /^with:(.*)$/.exec(form.get("do") ?? "")?.[1];
      if (session === undefined && entry !== undefined && isSameOrigin(request, origin)) {
        return (await parts.waitMs(request.address)) > 0
          ? page(429, problemPage("Too many logins at a time", "Try again in a minute.", `${base}/account`))
          : login.enter(request, entry);
      }
      if (session === undefined || !isSameOrigin(request, origin) || form.get("nonce") !== nonceOf(request)) {
        return page(
          403,
          problemPage("Nothing was changed", "Log in, and use the page of your account.", `${base}/account`),
        );
      }
      const headers: (readonly [string, string])[] = [["location", `${base}/account`]];
      const choice = form.get("do");
      if (choice === "log-out" || choice === "log-out-everywhere") {
        const isHere = choice === "log-out";
        await (isHere ? undefined : accounts.logOut(session.subject));
        const gone = await sessions.end(request);
        const where = isHere ? "This browser is" : "All browsers are";
        return page(200, problemPage("Logged out", `${where} logged out. Programs keep their access.`), {
          headers: [gone],
        });
      }
      const client = form.get("client") ?? undefined;
      if (choice === "revoke-all" || (choice === "revoke" && client !== undefined)) {
        await accounts.revoke(session.subject, choice === "revoke" ? client : undefined);
        // All sessions have ended: this browser gets a new session.
        const record = await accounts.find(session.subject);
        const browser = sessions.browser(request);
        if (record !== undefined && browser !== undefined) {
          await sessions.end(request);
          headers.push(await sessions.begin(session.subject, record.epoch, browser));
        }
      }
      return { status: 303, headers, body: "" };
    },
  };
}
