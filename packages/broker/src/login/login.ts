import type { Provider } from "oidc-provider";

import { isBrokerError } from "../error.ts";
import { randomId } from "../http/cookies.ts";
import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { redirect } from "../http/redirect.ts";
import { isSameOrigin } from "../http/same-origin.ts";
import { consentPage, loginPage, problemPage, type ConsentPage } from "../pages/consent.ts";
import { page, type Html } from "../pages/html.ts";
import { isLocalRedirect, redirectHost } from "../provider/redirect-uris.ts";
import type { UpstreamClient, UpstreamTokens } from "../upstream/client.ts";
import type { Account } from "../upstream/profile.ts";
import type { Accounts } from "./accounts.ts";
import { clientFacts } from "./client-facts.ts";
import type { Decisions } from "./decisions.ts";
import { hashOf, proofOf, type Flow, type Flows } from "./flows.ts";
import type { Sessions } from "./sessions.ts";

/** The parts of a login. */
export interface LoginParts {
  readonly flows: Flows;
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  readonly upstreams: ReadonlyMap<string, UpstreamClient>;
  readonly provider: () => Promise<Provider>;
  readonly decisions: Decisions;
  readonly server: string;
  readonly resource: string;
  readonly scopes: Readonly<Record<string, string>>;
  /** The scopes that an account may have; none if it may not log in. */
  readonly grantable: (account: Account, asked: readonly string[]) => Promise<readonly string[] | undefined>;
  /** Keeps the tokens of a provider, if the operator allowed it. */
  readonly keepTokens: (subject: string, tokens: UpstreamTokens) => Promise<void>;
  /** Returns after how many milliseconds a user may be sent to a provider, or 0. */
  readonly waitMs: (address: string | undefined) => Promise<number>;
  /** Replaces the page: a document of HTML. */
  readonly render: ((page: ConsentPage) => string) | undefined;
  readonly onError: (error: unknown) => void;
  /** The origin of the issuer, and the path of it. */
  readonly origin: string;
  readonly base: string;
}

/** The account and the scopes on the page of a form. */
interface Shown {
  readonly account: string | undefined;
  readonly scopes: readonly string[];
}

/** The pages of a login. */
export interface Login {
  /** Binds an authorization request to the browser that sent it. */
  bind(request: BrokerRequest, response: BrokerResponse): Promise<BrokerResponse>;
  /** Begins a login for a page of the broker, or for a device. */
  begin(
    request: BrokerRequest,
    flow: Pick<Flow, "purpose" | "client" | "scopes" | "deviceCode" | "userCode"> & {
      readonly resource?: string | undefined;
    },
  ): Promise<BrokerResponse>;
  /** The page from which `enter` begins a login. Nothing is stored for it. */
  door(action: string): BrokerResponse;
  /** Begins a login for the account page at a provider. */
  enter(request: BrokerRequest, upstream: string): Promise<BrokerResponse>;
  show(request: BrokerRequest): Promise<BrokerResponse>;
  decide(request: BrokerRequest): Promise<BrokerResponse>;
  /** The user comes back from a provider. */
  callback(upstreamId: string, request: BrokerRequest): Promise<BrokerResponse>;
}

const ended: Html = problemPage(
  "This login has ended",
  "It was finished, it took too long, or it was begun in another browser. Go back to the program that you came from, and log in again.",
);

/** Browsers apply the targets of a form to the redirects after it, too. */
const providerTargets = ["https:", "http://localhost:*", "http://127.0.0.1:*"];

/** Creates the pages of a login. */
export function createLogin(parts: LoginParts): Login {
  const { flows, sessions, accounts, decisions, upstreams, scopes, origin, base } = parts;
  const pathOf = (flow: Pick<Flow, "id">): string => `${base}/login?id=${flow.id}`;
  const refuse = (): BrokerResponse => page(400, ended);
  const named = [...upstreams.values()].map(({ upstream: { id, name } }) => ({ id, name }));

  async function bind(request: BrokerRequest, response: BrokerResponse): Promise<BrokerResponse> {
    const location = response.headers.find(([name]) => name === "location")?.[1] ?? "";
    const prefix = `${base}/login?id=`;
    if (response.status !== 303 || !location.startsWith(prefix)) {
      return response;
    }
    const id = location.slice(prefix.length);
    const provider = await parts.provider();
    const interaction = await provider.Interaction.find(id);
    const client = await provider.Client.find(String(interaction?.params["client_id"]));
    if (interaction === undefined || client === undefined) {
      return refuse();
    }
    const { redirect_uri: redirectUri, scope, resource } = interaction.params;
    const asked = typeof scope === "string" ? scope.split(" ") : [];
    const { browser, headers } = sessions.bind(request);
    const session = await sessions.find(request);
    await flows.begin({
      id,
      browser: hashOf(browser),
      purpose: "client",
      client: clientFacts(client, String(redirectUri)),
      scopes: asked.filter((one) => Object.hasOwn(scopes, one)),
      resource: typeof resource === "string" ? resource : parts.resource,
      account: session?.subject,
    });
    return { ...response, headers: [...response.headers, ...headers] };
  }

  /** The account of a flow, while the browser is still logged in with it. */
  async function accountOf(flow: Flow, request: BrokerRequest): Promise<string | undefined> {
    const session = flow.account === undefined ? undefined : await sessions.find(request);
    return session?.subject === flow.account ? flow.account : undefined;
  }

  /** The facts of the page of a flow. */
  async function factsOf(flow: Flow, account: string | undefined): Promise<ConsentPage> {
    const record = account === undefined ? undefined : await accounts.find(account);
    const { client } = flow;
    const redirect = client?.redirectUri;
    const known = client === undefined ? undefined : record?.consents[client.id];
    const allowed =
      record === undefined ? flow.scopes : ((await parts.grantable(record.account, flow.scopes)) ?? []);
    const host = redirect === undefined ? "another device" : redirectHost(redirect);
    const isSame =
      known?.redirectHosts.includes(host) === true && allowed.every((scope) => known.scopes.includes(scope));
    const shown = allowed.join(" ");
    return {
      server: parts.server,
      clientName: client?.name ?? "",
      clientHost: client?.host,
      redirectHost: host,
      isLocal: redirect !== undefined && isLocalRedirect(redirect),
      userCode: flow.userCode,
      scopes: allowed.map((name) => ({ name, description: scopes[name] ?? name })),
      account:
        record === undefined
          ? undefined
          : {
              subject: record.account.subject,
              label: record.account.email ?? record.account.name ?? record.account.subject,
            },
      allowedAt: isSame ? known?.at : undefined,
      upstreams: named,
      action: `${base}/login`,
      fields: { id: flow.id, scopes: shown, nonce: proofOf(flow, account, shown) },
    };
  }

  async function show(request: BrokerRequest): Promise<BrokerResponse> {
    const id = new URLSearchParams(request.search).get("id") ?? "";
    const flow = await flows.find(id, sessions.browser(request));
    if (flow === undefined) {
      return refuse();
    }
    if (flow.purpose === "account") {
      return redirect(`${base}/account`);
    }
    const account = await accountOf(flow, request);
    const facts = await factsOf(flow, account);
    const redirectUri = flow.client?.redirectUri;
    const formTargets =
      account === undefined ? providerTargets : redirectUri === undefined ? [] : [formTarget(redirectUri)];
    const custom = parts.render?.(facts);
    return page(200, custom ?? consentPage(facts), { formTargets });
  }

  /** The flow of a form, if the form is a page of it in the same browser. */
  async function flowOf(
    request: BrokerRequest,
    form: URLSearchParams,
  ): Promise<(Shown & { readonly flow: Flow }) | undefined> {
    const flow = isSameOrigin(request, origin)
      ? await flows.find(form.get("id") ?? "", sessions.browser(request))
      : undefined;
    if (flow === undefined) {
      return undefined;
    }
    const account = await accountOf(flow, request);
    const shown = form.get("scopes") ?? "";
    return form.get("nonce") === proofOf(flow, account, shown)
      ? { flow, account, scopes: shown.split(" ") }
      : undefined;
  }

  async function decide(request: BrokerRequest): Promise<BrokerResponse> {
    const form = new URLSearchParams(request.body.toString());
    const proven = await flowOf(request, form);
    if (proven === undefined) {
      return refuse();
    }
    const { flow, account, scopes: shown } = proven;
    const choice = form.get("do") ?? "";
    if (choice.startsWith("with:") && account === undefined) {
      // Each visit is stored.
      if ((await parts.waitMs(request.address)) > 0) {
        return page(429, problemPage("Too many logins at a time", "Try again in a minute.", pathOf(flow)));
      }
      return visit(flow, choice.slice("with:".length));
    }
    if (choice === "switch") {
      await flows.change(flow.id, (before) => ({ ...before, account: undefined, switches: true }));
      return redirect(pathOf(flow));
    }
    if (choice === "allow" && account !== undefined) {
      return (await decisions.allow(flow, account, shown)) ?? refuse();
    }
    return (choice === "deny" ? await decisions.deny(flow) : undefined) ?? refuse();
  }

  /** Sends the user to a provider: only after the page has told which client this is for. */
  async function visit(flow: Flow, id: string): Promise<BrokerResponse> {
    const upstream = upstreams.get(id);
    if (upstream === undefined) {
      return refuse();
    }
    try {
      const { url, ...started } = await upstream.begin(flow.switches === true);
      await flows.leave({ ...started, flow: flow.id, upstream: id });
      return redirect(url);
    } catch (error) {
      return failed(error, pathOf(flow));
    }
  }

  async function callback(upstreamId: string, request: BrokerRequest): Promise<BrokerResponse> {
    const query = new URLSearchParams(request.search);
    const upstream = upstreams.get(upstreamId);
    const states = query.getAll("state");
    const visited = states.length === 1 ? await flows.return(states[0] ?? "") : undefined;
    const browser = sessions.browser(request);
    const flow = visited === undefined ? undefined : await flows.find(visited.flow, browser);
    // A response from another provider is a mix-up.
    if (
      upstream === undefined ||
      visited?.upstream !== upstreamId ||
      flow === undefined ||
      browser === undefined
    ) {
      return refuse();
    }
    try {
      const { account, tokens } = await upstream.finish(query, visited);
      if ((await parts.grantable(account, flow.scopes)) === undefined) {
        return page(
          403,
          problemPage(
            `No access to ${parts.server}`,
            "This account may not log in here. Ask the operator of the server.",
            pathOf(flow),
          ),
        );
      }
      const epoch = await accounts.loggedIn(account);
      await parts.keepTokens(account.subject, tokens);
      const cookie = await sessions.begin(account.subject, epoch, browser);
      await flows.change(flow.id, (before) => ({ ...before, account: account.subject, switches: false }));
      const next = flow.purpose === "account" ? `${base}/account` : pathOf(flow);
      return redirect(next, [cookie]);
    } catch (error) {
      return failed(error, pathOf(flow));
    }
  }

  function failed(error: unknown, retry: string): BrokerResponse {
    if (!isBrokerError(error)) {
      throw error;
    }
    parts.onError(error);
    const isTemporary = error.code === "UPSTREAM_UNAVAILABLE";
    return page(
      isTemporary ? 503 : 502,
      problemPage(
        isTemporary ? "The login does not work at the moment" : "The login failed",
        error.message,
        retry,
      ),
    );
  }

  async function begin(
    request: BrokerRequest,
    given: Parameters<Login["begin"]>[1],
  ): Promise<{ readonly flow: Flow; readonly headers: BrokerResponse["headers"] }> {
    const { browser, headers } = sessions.bind(request);
    const flow = await flows.begin({
      ...given,
      id: randomId(),
      browser: hashOf(browser),
      resource: given.resource ?? parts.resource,
    });
    return { flow, headers };
  }

  return {
    bind,
    show,
    decide,
    callback,
    door: (action) =>
      page(200, loginPage({ server: parts.server, upstreams: named, action }), {
        formTargets: providerTargets,
      }),
    async enter(request, upstream) {
      if (!upstreams.has(upstream)) {
        return refuse();
      }
      const { flow, headers } = await begin(request, { purpose: "account", scopes: [] });
      const response = await visit(flow, upstream);
      return { ...response, headers: [...response.headers, ...headers] };
    },
    async begin(request, given) {
      const { flow, headers } = await begin(request, given);
      return redirect(pathOf(flow), headers);
    },
  };
}

/** A redirect URI as a source of a Content Security Policy. */
function formTarget(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  // A policy cannot name an address of IPv6: browsers would ignore the source.
  return /^https?:$/.test(protocol) && !hostname.startsWith("[") ? origin : protocol;
}
