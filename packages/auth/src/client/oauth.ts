import { checkOptionNames, isRecord, readLimits, systemClock, unlessAborted } from "@tenon/base";
import { httpUrl, placeOf, type AuthRequest, type HeadersLike } from "@tenon/http/client";

import { isAuthError, type AuthError } from "../shared/error.ts";
import { createTargetFinder } from "./discover/target.ts";
import { urlRules } from "./discover/url.ts";
import type { AuthEvent, AuthState, AuthStatus } from "./events.ts";
import type { GrantTools } from "./grants/grant.ts";
import { createLogins } from "./login/logins.ts";
import { authLimits, sharedOptionNames, type OAuthOptions, type OAuthProvider } from "./options.ts";
import { createNonces } from "./proof/nonces.ts";
import { createProofKeys } from "./proof/proof-keys.ts";
import { createRegistrar } from "./register/registrar.ts";
import { createRequests } from "./requests.ts";
import { createDemands } from "./scopes/demand.ts";
import { createRefusals } from "./scopes/refusals.ts";
import { createStepUpBounds } from "./scopes/step-up.ts";
import { ended, failure, type Setting } from "./setting.ts";
import { recordKey, type TokenRecord } from "./tokens/records.ts";
import { createRenewal } from "./tokens/renewal.ts";
import { memoryStore } from "./tokens/store.ts";
import { createTokenHolder, type Tokens } from "./tokens/tokens.ts";

/**
 * Creates the authorization of a client at one MCP server. It finds the authorization server,
 * registers the client, logs the user in, and keeps the tokens fresh: all requests of this
 * process, and of other processes with the same store, share one refresh. A failure of a server
 * never deletes tokens and never starts a login.
 *
 * @throws `TypeError` for options that do not exist, for limits that are out of range, and for a
 *   URL that is not http or https.
 */
export function createOAuth(options: OAuthOptions): OAuthProvider {
  checkOptionNames(
    "createOAuth",
    options,
    [...sharedOptionNames, "server scopes resource issuer"],
    authLimits,
  );
  const { account = "", grant, proof, clock = systemClock } = options;
  if (!isRecord(grant)) {
    throw new TypeError("createOAuth needs a grant, such as authorizationCode({ receiver }).");
  }
  const endpoint = httpUrl(options.server);
  const { origin } = endpoint;
  const lifetime = new AbortController();
  const rules = urlRules(endpoint, options.guard);
  const listeners = new Set<() => void>();
  const waiters = new Set<(isWaiting: boolean) => void>();
  const date = options.clock?.date?.bind(options.clock) ?? Date.now;
  const emit = (event: AuthEvent): void => notify([(each) => options.onEvent?.(each)], event);
  const setting: Setting = {
    endpoint,
    id: endpoint.href.replace(/#.*/, ""),
    server: placeOf(endpoint),
    account,
    rules,
    requests: createRequests(rules, clock, options.fetch),
    nonces: createNonces(),
    store: options.store ?? memoryStore(),
    unrecognizedClients: new Set(),
    flows: new Set(),
    clock,
    date,
    isStrict: options.strictness === "strict",
    limits: readLimits(options.limits, authLimits),
    emit,
    isHeard: options.onEvent !== undefined,
  };
  let status: AuthStatus = { state: "anonymous", generation: 0 };
  const registrar = createRegistrar(setting, options.client ?? {});
  const keys = createProofKeys(proof, options.store !== undefined);
  const tools: GrantTools = { setting, registrar, keys, signal: lifetime.signal };
  const demands = createDemands(setting);
  const bounds = createStepUpBounds(setting);
  const find = createTargetFinder(setting, registrar, {
    issuer: options.issuer,
    resource: options.resource,
    legacyFallback: options.legacyFallback ?? true,
    selectIssuer: options.selectIssuer?.bind(options),
  });
  let tokenKey: Promise<string> | undefined;
  const key = (): Promise<string> => (tokenKey ??= recordKey("tokens", [setting.id, account]));
  const holder = createTokenHolder({
    setting,
    key,
    keys,
    onChange() {
      setStatus(holder.current === undefined ? "anonymous" : "authorized");
      notify(listeners);
    },
    // Tokens of another process may have been used for long: that the server refuses them says
    // nothing about fresh tokens.
    onIssued: () => refusals.issued(),
    onUnsaved: (error) => setStatus(status.state, error),
    onOrphan: revoke,
  });
  const logins = createLogins({
    tools,
    options,
    holder,
    find,
    demands,
    onStart() {
      notify(waiters, true);
      setStatus("authorizing");
    },
    onEnd(error) {
      notify(waiters, logins.isRunning);
      if (error === undefined) {
        renewal.reset();
      }
      const isAuthorized = error === undefined || holder.current !== undefined;
      setStatus(isAuthorized ? "authorized" : "needs-user", isAuthError(error) ? error : undefined);
    },
  });
  const renewal = createRenewal({
    tools,
    holder,
    lockKey: key,
    obtain: grant.isInteractive ? undefined : logins.obtain,
    refreshScopes: options.refreshScopes === true,
    random: options.random ?? Math.random,
    onExpired: (error) => setStatus("needs-user", error),
  });
  const refusals = createRefusals({
    setting,
    signal: lifetime.signal,
    holder,
    renewal,
    logins,
    bounds,
    find,
    demands,
    canProve: proof !== undefined,
    hasUser: grant.isInteractive,
    mayLogIn: options.interactive === true,
    onNeedsUser: (error) => setStatus("needs-user", error),
    onRetry: () => notify(listeners),
  });
  const sent = new WeakMap<HeadersLike, string>();
  /** Resolves when unused tokens are revoked, or after 5 seconds. */
  let revoking = Promise.resolve();

  function forgive(): void {
    renewal.reset();
    refusals.reset();
  }

  function setStatus(state: AuthState, error?: AuthError): void {
    const record = holder.current?.record;
    status = {
      state,
      issuer: record?.issuer ?? status.issuer,
      scopes: record?.scopes,
      expiresAt: record?.expiresAt,
      generation: record?.count ?? status.generation,
      error,
    };
    emit({ type: "status", status });
  }

  function notify<A extends readonly unknown[]>(all: Iterable<(...args: A) => unknown>, ...args: A): void {
    // A copy: a listener that is added during the calls waits for the next change.
    for (const listener of [...all]) {
      // A listener that fails must not fail a login, nor the other listeners. It may be async.
      new Promise((resolve) => resolve(listener(...args))).catch(() => {});
    }
  }

  /** Revokes tokens that are not used. @source RFC 7009 §2.1 */
  function revoke(record: TokenRecord): void {
    // Keycloak and others would end the login that is used, too.
    if (holder.current?.record.clientId !== record.clientId) {
      revoking = ended(setting, [
        revoking,
        // Without its signal: a provider that is closed has to revoke them, too.
        import("./upkeep.lazy.ts").then(({ revokeTokens }) => revokeTokens(tools, record)),
      ]);
    }
  }

  /**
   * Whether a URL is on the server. The URL of most requests is the same, and an origin takes
   * long to compute.
   */
  function isOwn(url: URL): boolean {
    return url.href === endpoint.href || url.origin === origin;
  }

  function headersOf(tokens: Tokens): HeadersLike {
    sent.set(tokens.headers, tokens.record.id);
    return tokens.headers;
  }

  async function proven({ url, method }: AuthRequest, tokens: Tokens): Promise<HeadersLike> {
    const { record, proofKey } = tokens;
    if (!record.isBound || proofKey === undefined) {
      return headersOf(tokens);
    }
    const { accessToken: token } = record;
    const dpop = await proofKey.sign({ method, url, token, nonce: setting.nonces.get(url) });
    const headers = { ...tokens.headers, dpop };
    sent.set(headers, record.id);
    return headers;
  }

  async function prepared(request: AuthRequest): Promise<HeadersLike | undefined> {
    let tokens = holder.current ?? (await holder.reload());
    const now = clock.now();
    if (tokens !== undefined && now >= tokens.refreshAt) {
      if (now >= tokens.expiresAt) {
        // Without a refresh token, another process may have logged in since.
        tokens = await unlessAborted(renewal.renew(tokens), request.signal);
      } else if (!grant.isInteractive || tokens.record.refreshToken !== undefined) {
        // The token is valid still: the request need not wait, and a failure concerns a later
        // one.
        renewal.renew(tokens).catch(() => {});
      }
    }
    return tokens && proven(request, tokens);
  }

  return {
    extension: grant.extension,
    get status() {
      return status;
    },
    get authorizationContext() {
      const { current } = holder;
      return current && JSON.stringify([account, current.record.login]);
    },
    headers(request) {
      if (!isOwn(request.url)) {
        return undefined;
      }
      const { current } = holder;
      return current !== undefined && !current.record.isBound && clock.now() < current.refreshAt
        ? headersOf(current)
        : prepared(request);
    },
    refused(challenge) {
      return isOwn(challenge.url)
        ? refusals.handle(challenge, challenge.sent && sent.get(challenge.sent))
        : false;
    },
    observed({ url, method, sent: headers, status: code, header }) {
      if (isOwn(url)) {
        setting.nonces.learn(url, header("dpop-nonce"));
        // A redirect proves nothing: its sender need not have looked at the token.
        if (code >= 200 && code < 300) {
          refusals.accepted(method, headers && sent.get(headers));
        }
      }
    },
    async login({ scopes = [], signal } = {}) {
      forgive();
      bounds.reset();
      if (grant.isInteractive) {
        await logins.run(scopes, signal);
      } else {
        await logins.afterLogout(signal);
        await unlessAborted(renewal.renew(holder.current), signal);
      }
    },
    begin({ scopes = [], signal } = {}) {
      bounds.reset();
      return logins.begin(scopes, signal);
    },
    async finish(callback) {
      if (callback instanceof URL && callback.hash !== "") {
        throw failure(
          setting,
          "RESPONSE_INVALID",
          "The authorization response must be in the query of its URL, not in the fragment.",
        );
      }
      await logins.finish(callback instanceof URL ? callback.searchParams : callback);
    },
    logout: (options) =>
      logins.logOut(async () => {
        await renewal.stop();
        // A store that fails is reported when the tokens are to be deleted.
        await holder.reload().catch(() => {});
        // Not used again, even if the rest of the code cannot be loaded.
        const left = await holder.leave();
        const { logOut } = await import("./upkeep.lazy.ts");
        await logOut(tools, holder, left, options).finally(() => {
          demands.clear();
          forgive();
        });
        await revoking;
      }),
    changed: (listener) => added(listeners, () => listener()),
    waiting(listener) {
      if (logins.isRunning) {
        listener(true);
      }
      return added(waiters, (isWaiting) => listener(isWaiting));
    },
    async close() {
      const closed = failure(setting, "NEEDS_USER", "The provider was closed.");
      lifetime.abort(closed);
      // A login that has got its tokens may be saving them.
      await Promise.all([logins.stop(closed), renewal.settled()]);
      await revoking;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** Adds a listener. @returns A function that removes it. */
function added<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
