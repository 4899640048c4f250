import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { publicFetch } from "@tenon/auth/node";
import { protectedResource, type FetchFunction, type Verify } from "@tenon/auth/server";
import { errorSink } from "@tenon/base";
import type { AuthInfo } from "@tenon/protocol";
import { createMemoryRateLimits } from "@tenon/stores";

import { createCookies } from "./http/cookies.ts";
import { createRoute, type BrokerRoute } from "./http/exchange.ts";
import { createAccountPages } from "./login/account-pages.ts";
import { createAccounts } from "./login/accounts.ts";
import { createDecisions } from "./login/decisions.ts";
import { createDevicePages } from "./login/device-pages.ts";
import { createFlows } from "./login/flows.ts";
import { createLogin } from "./login/login.ts";
import { createSessions } from "./login/sessions.ts";
import { readOptions, type BrokerOptions } from "./options.ts";
import { problemPage } from "./pages/consent.ts";
import { page } from "./pages/html.ts";
import { createAdapter } from "./provider/adapter.ts";
import { createDocuments } from "./provider/documents.ts";
import { createProtocol } from "./provider/provider.ts";
import { createGates } from "./serve/gates.ts";
import { createRouter } from "./serve/router.ts";
import { createMemoryAuthStore } from "./store/memory.ts";
import { createSigningKeys } from "./store/signing-keys.ts";
import { createVault, never } from "./store/vault.ts";
import { createUpstreamClient } from "./upstream/client.ts";
import { createDevelopmentProvider, type DevelopmentProvider } from "./upstream/development.ts";
import type { Account } from "./upstream/profile.ts";
import { createKeptTokens } from "./upstream/tokens.ts";
import { createVerify } from "./verify.ts";

/** An authorization server whose users log in at an identity provider. */
export interface Broker {
  /** The URL of the broker, as its tokens and its metadata have it. */
  readonly issuer: string;
  /**
   * The handlers of the broker, and of the metadata of the protected resources. Pass them as
   * `routes` to `listen`, or mount each at its `paths`.
   */
  readonly routes: readonly BrokerRoute[];
  /** Verifies the broker's access tokens: `verify` of `createGuard`. */
  readonly verify: Verify;
  /** The redirect URI to register at each provider, by the `id` of the upstream. */
  readonly redirectUris: Readonly<Record<string, string>>;
  /** The account of the sender of a request, as of the last login. @param auth - `ctx.auth`. */
  accountOf(auth: AuthInfo | undefined): Promise<Account | undefined>;
  /**
   * A valid access token of the provider, for requests to its API in the name of the user. Never
   * send it to a client.
   *
   * @param auth - `ctx.auth` of the request.
   * @throws `BrokerError`: `NOT_KEPT` without `keepUpstreamTokens`, `NEEDS_LOGIN` if the user has
   *   to log in again, `UPSTREAM_UNAVAILABLE` while the provider does not work.
   */
  upstreamToken(auth: AuthInfo | undefined): Promise<string>;
  /**
   * Ends what a client may do for a user, or what all may do. Access tokens are refused within a
   * minute.
   *
   * @param subject - `auth.subject`.
   * @param clientId - `auth.clientId`. By default all clients.
   */
  revoke(subject: string, clientId?: string): Promise<void>;
  /** Deletes a user: the consents, the account, and the tokens of the provider. */
  forget(subject: string): Promise<void>;
}

/**
 * Creates an authorization server for MCP servers, whose users log in with Google, GitHub, Entra ID
 * or another identity provider. It issues tokens of its own; the tokens of the provider never leave
 * it.
 *
 * @example
 * const resource = "http://127.0.0.1:3000/mcp";
 * const scopes = { "notes:read": "Read your notes" };
 * const broker = await createBroker({ resource, scopes, upstream: development() });
 * const guard = createGuard({ resource, verify: broker.verify });
 *
 * @throws `TypeError` for unknown options and wrong values, and if the store was used with other
 *   keys; `StoreError` if the store cannot be used.
 */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const settings = readOptions(options);
  const { issuer, resources, limits } = settings;
  const [resource] = resources as [string, ...string[]];
  const url = new URL(issuer);
  const place = { origin: url.origin, base: url.pathname === "/" ? "" : url.pathname };
  const { origin, base } = place;
  const name = options.name ?? new URL(resource).host;
  const onError = errorSink(options.onError);
  const vault = createVault(
    options.stores?.auth ?? createMemoryAuthStore(),
    options.keys ?? [randomBytes(32).toString("base64url")],
  );
  await vault.check(issuer);

  const signing = createSigningKeys(vault, issuer, limits.rotationIntervalMs);
  const gates = createGates(options.stores?.rates ?? createMemoryRateLimits(), limits, issuer);

  const providers: DevelopmentProvider[] = [];
  const chosen = settings.upstreams.map((one) => {
    if (!("development" in one)) {
      return one;
    }
    const provider = createDevelopmentProvider(one, `${origin}${base}`);
    providers.push(provider);
    return provider.upstream;
  });
  const platform: FetchFunction = options.fetch ?? ((target, init) => fetch(target, init));
  const fetchUpstream = providers.reduce((next, one) => one.fetch(next), platform);
  const clients = chosen.map((upstream) =>
    createUpstreamClient(upstream, `${origin}${base}/login/callback/${upstream.id}`, fetchUpstream),
  );
  const upstreams = new Map(clients.map((client) => [client.upstream.id, client] as const));
  if (upstreams.size < clients.length) {
    throw new TypeError("Two upstreams of createBroker have the same id: give one of them another id.");
  }
  const accounts = createAccounts(vault, (id) => upstreams.get(id)?.upstream.issuer);
  const cookies = createCookies(url.protocol === "https:");
  const sessions = createSessions(vault, cookies, accounts, limits.sessionTtlMs);
  if (providers.length > 0) {
    console.warn(
      `Development login at ${issuer}: every program that reaches this port can log in as any user.`,
    );
  }
  const kept = createKeptTokens(vault, upstreams, options.keepUpstreamTokens === true);

  /** The scopes that an account may have; `undefined` if it may not log in. */
  async function grantable(
    account: Account,
    asked: readonly string[],
  ): Promise<readonly string[] | undefined> {
    // Only `true` allows a login: a callback of JavaScript may return anything.
    const allowed: unknown = options.allow === undefined ? true : await options.allow(account);
    if (allowed !== true) {
      return undefined;
    }
    if (options.scopesOf === undefined) {
      return asked.filter((scope) => Object.hasOwn(options.scopes, scope));
    }
    const given: unknown = await options.scopesOf(account);
    if (Array.isArray(given) && given.every((scope) => typeof scope === "string")) {
      return asked.filter((scope) => given.includes(scope));
    }
    onError(
      new TypeError(
        `scopesOf of createBroker returns an array of strings; got ${Array.isArray(given) ? "an array with something else" : given === null ? "null" : typeof given}. The account gets no scopes.`,
      ),
    );
    return [];
  }

  const documents = createDocuments({
    vault,
    fetch: options.fetchDocument ?? publicFetch(),
    mayFetch: (target, address, isKnown) => gates.document(target, address, isKnown),
    knownTtlMs: limits.clientTtlMs,
  });
  const protocol = createProtocol(
    issuer,
    {
      resources,
      scopes: Object.keys(options.scopes),
      adapter: createAdapter(vault, limits),
      renderError(context, { error, error_description: description = "" }) {
        const { headers, body } = page(
          context.status,
          problemPage("The login failed", `${error}: ${description}`),
        );
        context.body = body;
        const { response } = context as unknown as {
          readonly response: { set(name: string, value: string): void };
        };
        headers.forEach(([field, value]) => response.set(field, value));
      },
      async isKnownAccount(subject) {
        const record = await accounts.find(subject);
        return record !== undefined && (await grantable(record.account, [])) !== undefined;
      },
      mayRefresh: (grant) => gates.refresh(grant),
      accessTokenTtlMs: limits.accessTokenTtlMs,
      refreshTokenTtlMs: limits.grantTtlMs,
      loginTimeoutMs: limits.loginTimeoutMs,
    },
    documents,
    signing,
    place,
    onError,
  );
  await protocol.current();

  const flows = createFlows(vault, limits.loginTimeoutMs);
  const decisions = createDecisions({
    flows,
    accounts,
    provider: () => protocol.current(),
    resume: (uid) => protocol.resume(uid),
    grantable,
    keepDocument: (clientId) => documents.keep(clientId),
    confirmTokens: (subject) => kept.confirm(subject),
    base,
    grantTtlMs: limits.grantTtlMs,
  });
  const login = createLogin({
    flows,
    decisions,
    sessions,
    accounts,
    upstreams,
    provider: () => protocol.current(),
    server: name,
    resource,
    scopes: options.scopes,
    grantable,
    async keepTokens(subject, tokens) {
      const record = await accounts.find(subject);
      const hasPrograms = Object.keys(record?.consents ?? {}).length > 0;
      // Until the user allows a program, they are of no use after the session of the browser.
      await kept.keep(subject, tokens, hasPrograms ? never : Date.now() + limits.sessionTtlMs);
    },
    waitMs: (address) => gates.visit(address),
    render: options.consent,
    onError,
    origin,
    base,
  });
  const accountPages = createAccountPages({
    sessions,
    accounts,
    login,
    waitMs: (address) => gates.login(address),
    server: name,
    origin,
    base,
  });
  const router = createRouter({
    protocol,
    login,
    accountPages,
    devicePages: createDevicePages({
      login,
      provider: () => protocol.current(),
      server: name,
      scopes: Object.keys(options.scopes),
      resources,
      origin,
      base,
    }),
    upstreams: [...upstreams.keys()],
    developments: providers,
    gates,
    scopes: Object.keys(options.scopes),
    base,
    isLocal: settings.isLocal,
    maxInFlight: limits.maxInFlight,
    onError,
  });
  /** Without an address, the limits of all senders remain. */
  function addressOf(request: IncomingMessage): string | undefined {
    if (options.addressOf === undefined) {
      return request.socket.remoteAddress;
    }
    try {
      const address: unknown = options.addressOf(request);
      return typeof address === "string" ? address : undefined;
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
  const metadata = resources.map((one) =>
    protectedResource({
      resource: one,
      authorizationServers: [issuer],
      scopes: Object.keys(options.scopes),
      name,
      rootAlias: resources.length === 1,
    }),
  );

  return {
    issuer,
    routes: [createRoute(router.paths, router.serve, addressOf), ...metadata],
    verify: createVerify(issuer, signing, vault, accounts),
    redirectUris: Object.fromEntries(clients.map((client) => [client.upstream.id, client.redirectUri])),
    accountOf: async (auth) =>
      auth?.issuer === issuer && auth.subject !== undefined
        ? (await accounts.find(auth.subject))?.account
        : undefined,
    async upstreamToken(auth) {
      const subject = auth?.issuer === issuer ? (auth.subject ?? "") : "";
      // The tokens of a provider that was removed or replaced are not used.
      return kept.get((await accounts.find(subject)) === undefined ? "" : subject);
    },
    revoke: (subject, clientId) => accounts.revoke(subject, clientId),
    forget: (subject) => accounts.forget(subject),
  };
}
