import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";
import type { AuthInfo } from "@tenon/protocol";

import { present } from "../shared/present.ts";
import { checkCredentials, formRequest, type ClientCredentials } from "./client-secret.ts";
import { fastHash } from "./fast-hash.ts";
import { fetchJson, type FetchFunction } from "./fetch-json.ts";
import { tokenOf } from "./kept-token.ts";
import { checkedUrl } from "./resource-url.ts";
import { scopesIn } from "./scopes-in.ts";
import { TokenCache } from "./token-cache.ts";

/** Options of {@link tokenExchange} and {@link clientTokens}. */
export interface TokenExchangeOptions {
  /** The token endpoint of the authorization server. */
  readonly endpoint: string;
  /**
   * The credentials of this server at the authorization server, sent with HTTP Basic
   * authentication.
   */
  readonly client: ClientCredentials;
  /** Sends the requests. Default: `fetch` of the platform. */
  readonly fetch?: FetchFunction | undefined;
  /** Bounds. */
  readonly limits?: TokenExchangeLimits | undefined;
}

/** Bounds of {@link tokenExchange} and {@link clientTokens}. */
export interface TokenExchangeLimits {
  /** How long a response may take, in milliseconds. Default: `10_000`. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a response in bytes. Default: `65_536` (64 KiB). */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Maximum number of tokens that are remembered until shortly before their expiry. The oldest
   * one is forgotten. Default: `1_000`.
   */
  readonly maxEntries?: number | undefined;
}

/**
 * The server that a token is requested for. At least one of `audience` and `resource` is
 * required.
 */
export interface ExchangeTarget {
  /** The name of the other server at the authorization server. */
  readonly audience?: string | undefined;
  /** The URL of the other server. */
  readonly resource?: string | undefined;
  /** The scopes of the token. By default the authorization server chooses them. */
  readonly scopes?: readonly string[] | undefined;
}

/** A token for another server. */
export interface ExchangedToken {
  readonly token: string;
  readonly scopes: readonly string[] | undefined;
  /**
   * When it expires, in milliseconds since 1970; `undefined` if the authorization server does not
   * say.
   */
  readonly expiresAt: number | undefined;
}

const limitRules: LimitRules<TokenExchangeLimits> = {
  timeoutMs: [10_000, 1, 600_000],
  maxMessageBytes: [65_536, 1],
  maxEntries: [1000, 0],
};

/** Exchanges the token of a request for one that another server accepts. */
export type ExchangeToken = (auth: AuthInfo | undefined, target: ExchangeTarget) => Promise<ExchangedToken>;

/**
 * Makes the function by which handlers call other servers for their users: it exchanges the token
 * of a request for a token of the other server. The guard needs `keepToken: true`. Tokens are
 * cached for 90 % of their lifetime.
 *
 * @example
 * const exchange = tokenExchange({
 *   endpoint: "https://login.example.com/token",
 *   client: { clientId: "notes", clientSecret: "secret" },
 * });
 * server.addTool({ name: "events" }, async (_, { auth }) => {
 *   const { scopes } = await exchange(auth, { audience: "calendar", scopes: ["events:read"] });
 *   return `The calendar allows ${String(scopes)}`;
 * });
 *
 * @throws `TypeError` for options that do not exist. The function rejects with
 *   `VerifierUnavailable` while the authorization server does not respond, with `Error` if it
 *   refuses, and with `TypeError` without a kept token.
 * @source RFC 8693, R-727
 */
export function tokenExchange(options: TokenExchangeOptions): ExchangeToken {
  const request = tokenRequests("tokenExchange", options);
  return async (auth, target) => {
    const subject = tokenOf(auth);
    if (subject === undefined) {
      throw new TypeError("There is no token to exchange: the guard needs keepToken: true.");
    }
    if (target.audience === undefined && target.resource === undefined) {
      throw new TypeError("A token exchange needs an audience or a resource.");
    }
    return request(
      {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: subject,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      },
      target,
    );
  };
}

/** Requests a token of the client itself. */
export type RequestClientToken = (
  target?: Pick<ExchangeTarget, "audience" | "resource" | "scopes">,
) => Promise<ExchangedToken>;

/**
 * Makes the function by which a server calls other servers for itself: it requests tokens by the
 * client credentials grant, at a token endpoint that you know. Tokens are cached for 90 % of their
 * lifetime. Unlike the grant `clientCredentials` of MCP clients it needs no metadata.
 *
 * @example
 * const tokenFor = clientTokens({
 *   endpoint: "https://login.example.com/token",
 *   client: { clientId: "notes", clientSecret: "secret" },
 * });
 * const { token } = await tokenFor({ scopes: ["events:read"] });
 *
 * @throws As {@link tokenExchange}.
 * @source RFC 6749 §4.4
 */
export function clientTokens(options: TokenExchangeOptions): RequestClientToken {
  const request = tokenRequests("clientTokens", options);
  return (target = {}) => request({ grant_type: "client_credentials" }, target);
}

/** Makes the function that sends requests to a token endpoint, each once while it is cached. */
function tokenRequests(
  subject: string,
  options: TokenExchangeOptions,
): (grant: Readonly<Record<string, string>>, target: ExchangeTarget) => Promise<ExchangedToken> {
  checkOptionNames(subject, options, "endpoint client fetch:function limits", limitRules);
  const { endpoint, client, fetch } = options;
  const { timeoutMs, maxMessageBytes: maxBytes, maxEntries } = readLimits(options.limits, limitRules);
  checkedUrl(endpoint, `endpoint of ${subject}`);
  checkCredentials(client, subject);
  const cache = new TokenCache<ExchangedToken>(maxEntries);
  const running = new Map<string, Promise<ExchangedToken>>();

  async function request(
    key: string,
    grant: Readonly<Record<string, string>>,
    target: ExchangeTarget,
  ): Promise<ExchangedToken> {
    const { status, json } = await fetchJson(endpoint, {
      subject: "token endpoint",
      fetch,
      timeoutMs,
      maxBytes,
      init: formRequest(client, {
        ...grant,
        audience: target.audience,
        resource: target.resource,
        scope: target.scopes?.join(" "),
      }),
    });
    const { access_token: token, expires_in: life, scope, error } = present(json);
    if (status !== 200 || typeof token !== "string") {
      const code = typeof error === "string" && /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : "";
      throw new Error(`The authorization server refused the token: status ${status}${code}.`);
    }
    // Some servers, such as version 1 of Entra ID, write the number as a string.
    const seconds = Number(life);
    const lifeMs = seconds > 0 && seconds < Infinity ? seconds * 1000 : undefined;
    const exchanged: ExchangedToken = {
      token,
      scopes: scope === undefined ? target.scopes : scopesIn({ scope }),
      expiresAt: lifeMs === undefined ? undefined : Date.now() + lifeMs,
    };
    cache.set(key, exchanged, 0.9 * (lifeMs ?? 0));
    return exchanged;
  }

  return async (grant, target) => {
    const { audience, resource, scopes } = target;
    const key = await fastHash(JSON.stringify([grant["subject_token"], audience, resource, scopes]));
    const known = cache.get(key) ?? running.get(key);
    if (known !== undefined) {
      return known;
    }
    const started = request(key, grant, target).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}
