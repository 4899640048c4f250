import type { FetchFunction } from "@tenon/auth/server";
import { isRecord } from "@tenon/base";
import * as oauth from "oauth4webapi";

import { BrokerError } from "../error.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { accountFrom, subjectOf, type Account } from "./profile.ts";
import { isLoopback, type Upstream, type UserinfoRequest } from "./upstream.ts";

/** The tokens of a provider. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** In milliseconds since 1970; `undefined` if the provider does not say. */
  readonly expiresAt?: number | undefined;
}

/** The values of a visit to a provider. */
export interface Started {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

/** The broker as the client of one provider. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  /** The redirect URI that is registered at the provider. */
  readonly redirectUri: string;
  begin(switches: boolean): Promise<Started>;
  /** @throws `BrokerError` */
  finish(
    response: URLSearchParams,
    started: Omit<Started, "url">,
  ): Promise<{ readonly account: Account; readonly tokens: UpstreamTokens }>;
  /** @throws `BrokerError`: `NEEDS_LOGIN` if the provider refuses the token. */
  refresh(refreshToken: string, subject: string): Promise<UpstreamTokens>;
}

/** How long metadata is used. While it cannot be read, the last metadata is used. */
const metadataTtlMs = 3_600_000;
/** Maximum time for a response of a provider. */
const timeoutMs = 10_000;
/** The errors with which providers reject a refresh token; the last two of GitHub and Slack. */
const rejected: ReadonlySet<string> = new Set([
  "invalid_grant",
  "bad_refresh_token",
  "invalid_refresh_token",
]);

/** Creates the client of a provider. */
export function createUpstreamClient(
  upstream: Upstream,
  redirectUri: string,
  fetchFunction: FetchFunction,
): UpstreamClient {
  const client: oauth.Client = {
    client_id: upstream.clientId,
    [oauth.clockTolerance]: 60,
  };
  let known: { readonly server: oauth.AuthorizationServer; readonly at: number } | undefined;
  const fetchBounded = boundedFetch(fetchFunction, upstream.name);
  const options = () => ({
    [oauth.customFetch]: (url: string, init: object) => fetchBounded(url, init),
    [oauth.allowInsecureRequests]: isLoopback(upstream.issuer),
    signal: AbortSignal.timeout(timeoutMs),
  });

  async function server(): Promise<oauth.AuthorizationServer> {
    if (!upstream.isOidc) {
      const { issuer, authorizationEndpoint, tokenEndpoint } = upstream;
      return {
        issuer,
        authorization_endpoint: authorizationEndpoint,
        token_endpoint: tokenEndpoint,
      } as oauth.AuthorizationServer;
    }
    if (known !== undefined && Date.now() - known.at < metadataTtlMs) {
      return known.server;
    }
    const issuer = new URL(upstream.issuer);
    try {
      const response = await oauth.discoveryRequest(issuer, options());
      known = { server: await oauth.processDiscoveryResponse(issuer, response), at: Date.now() };
    } catch (cause) {
      if (known === undefined) {
        throw failure(upstream, cause);
      }
    }
    return known.server;
  }

  function clientAuth(as: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret, isOidc } = upstream;
    if (clientSecret === undefined) {
      return oauth.None();
    }
    const methods = as.token_endpoint_auth_methods_supported ?? (isOidc ? ["client_secret_basic"] : []);
    const listed = methods.includes("client_secret_post") || !isOidc ? "post" : "basic";
    return (upstream.clientAuth ?? listed) === "post"
      ? oauth.ClientSecretPost(clientSecret)
      : oauth.ClientSecretBasic(clientSecret);
  }

  /** The `prompt` for users who want another account, if the provider knows one. */
  function promptOf(as: oauth.AuthorizationServer): string | undefined {
    const wanted = upstream.accountPrompt;
    const known = as["prompt_values_supported"];
    return wanted === undefined || !Array.isArray(known) || known.includes(wanted)
      ? wanted
      : ["select_account", "login"].find((one) => known.includes(one));
  }

  /** Requests JSON from the provider with the access token. */
  async function ask(request: UserinfoRequest, accessToken: string): Promise<unknown> {
    const { url, method = "GET", headers, body } = request;
    const response = await fetchBounded(url, {
      method,
      headers: {
        accept: "application/json",
        "user-agent": "tenon-broker",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
        authorization: `Bearer ${accessToken}`,
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "manual",
    });
    if (response.status !== 200) {
      throw statusFailure(upstream, response.status);
    }
    return response.json();
  }

  async function profile(
    as: oauth.AuthorizationServer,
    tokens: oauth.TokenEndpointResponse,
  ): Promise<Account> {
    const claims = upstream.isOidc ? oauth.getValidatedIdTokenClaims(tokens) : undefined;
    const endpoint = upstream.userinfo ?? userinfoOf(as);
    const said = endpoint === undefined ? tokens : await ask(endpoint, tokens.access_token);
    if (!isRecord(said)) {
      throw new BrokerError("UPSTREAM_REJECTED", `${upstream.name} returned no JSON object.`);
    }
    if (claims !== undefined && endpoint !== undefined && said["sub"] !== claims.sub) {
      throw new BrokerError("UPSTREAM_REJECTED", `${upstream.name} described another account.`);
    }
    const more: Record<string, unknown> = {};
    for (const [name, request] of Object.entries(upstream.profile.more ?? {})) {
      more[name] = await ask(request, tokens.access_token);
    }
    return accountFrom(upstream, { ...said, ...more }, claims);
  }

  return {
    upstream,
    redirectUri,
    async begin(switches) {
      const as = await server();
      const prompt = switches ? promptOf(as) : undefined;
      const [state, verifier, nonce] = [
        oauth.generateRandomState(),
        oauth.generateRandomCodeVerifier(),
        oauth.generateRandomNonce(),
      ];
      const url = new URL(as.authorization_endpoint ?? "");
      if (url.protocol !== "https:" && !isLoopback(url.href)) {
        throw new BrokerError("UPSTREAM_REJECTED", `${upstream.name} names a page that is not https.`);
      }
      const parameters = {
        ...upstream.parameters,
        ...(prompt === undefined ? {} : { prompt }),
        client_id: upstream.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: upstream.scopes.join(upstream.scopeSeparator ?? " "),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(upstream.isOidc ? { nonce } : {}),
      };
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, value);
      }
      return { url: url.href, state, verifier, nonce };
    },
    async finish(response, { state, verifier, nonce }) {
      const as = await server();
      try {
        const checked = oauth.validateAuthResponse(as, client, response, state);
        const request = await oauth.authorizationCodeGrantRequest(
          as,
          client,
          clientAuth(as),
          checked,
          redirectUri,
          verifier,
          options(),
        );
        const result = await oauth.processAuthorizationCodeResponse(as, client, request, {
          ...(upstream.isOidc ? { expectedNonce: nonce, requireIdToken: true } : {}),
        });
        return { account: await profile(as, result), tokens: tokensFrom(result) };
      } catch (error) {
        throw failure(upstream, error);
      }
    },
    async refresh(refreshToken, subject) {
      const as = await server();
      try {
        const response = await oauth.refreshTokenGrantRequest(
          as,
          client,
          clientAuth(as),
          refreshToken,
          options(),
        );
        const result = await oauth.processRefreshTokenResponse(as, client, response);
        const sub = oauth.getValidatedIdTokenClaims(result)?.sub;
        if (
          sub !== undefined &&
          upstream.profile.subject === "sub" &&
          subjectOf(upstream.id, [sub]) !== subject
        ) {
          throw new BrokerError("NEEDS_LOGIN", `${upstream.name} refreshed the token of another account.`);
        }
        return { refreshToken, ...tokensFrom(result) };
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError && rejected.has(error.error)) {
          throw new BrokerError("NEEDS_LOGIN", `${upstream.name} has ended the login of the user.`);
        }
        throw failure(upstream, error);
      }
    },
  };
}

function userinfoOf(as: oauth.AuthorizationServer): UserinfoRequest | undefined {
  return as.userinfo_endpoint === undefined ? undefined : { url: as.userinfo_endpoint };
}

function tokensFrom(response: oauth.TokenEndpointResponse): UpstreamTokens {
  const { access_token, refresh_token, expires_in } = response;
  return {
    accessToken: access_token,
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(expires_in === undefined ? {} : { expiresAt: Date.now() + expires_in * 1000 }),
  };
}

/**
 * The failure of a provider. The library's errors carry responses, requests and parameters, which
 * contain codes and tokens. Only its error codes are kept.
 */
function failure({ name }: Upstream, error: unknown): BrokerError {
  if (error instanceof BrokerError) {
    return error;
  }
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const code = /^[\w.-]{1,60}$/.test(error.error) ? error.error : "an error";
    const status = error instanceof oauth.ResponseBodyError ? error.status : 400;
    return status >= 500 || status === 429
      ? statusFailure({ name }, status)
      : new BrokerError("UPSTREAM_REJECTED", `${name} refused the login: ${code}.`);
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    const { cause } = error as { readonly cause?: unknown };
    return cause instanceof Response
      ? statusFailure({ name }, cause.status)
      : new BrokerError("UPSTREAM_REJECTED", `The response of ${name} is wrong: ${error.message}.`);
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return new BrokerError("UPSTREAM_UNAVAILABLE", `${name} cannot be reached: ${kind}.`);
}

function statusFailure({ name }: Pick<Upstream, "name">, status: number): BrokerError {
  return status >= 500 || status === 429 || status === 408
    ? new BrokerError("UPSTREAM_UNAVAILABLE", `${name} does not work at the moment: status ${status}.`)
    : new BrokerError("UPSTREAM_REJECTED", `${name} refused the request of the broker: status ${status}.`);
}
