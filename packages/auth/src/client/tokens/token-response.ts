import { processGenericTokenEndpointResponse } from "oauth4webapi";

import type { AuthError } from "../../shared/error.ts";
import type { Json } from "../requests.ts";
import { readScopes } from "../scopes/scopes.ts";
import { failure, harmless, quoted, strings, warn, type Setting } from "../setting.ts";

/** Tokens that an authorization server has issued, checked. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** Bound to a key: sent with the scheme `DPoP`. */
  readonly isBound: boolean;
  readonly refreshToken: string | undefined;
  /** Lifetime in milliseconds, if it is known. */
  readonly lifeMs: number | undefined;
  readonly scopes: readonly string[];
  /** Why they are not used, but only revoked. */
  readonly refused?: AuthError | undefined;
}

/** The part of a token request against which its response is checked. */
export interface ExpectedTokens {
  readonly issuer: string;
  readonly client: { readonly id: string };
  /** The scopes that the server grants if it names none. */
  readonly asked: readonly string[];
  /** The key to which the token was requested to be bound. */
  readonly proofKey?: object | undefined;
  /** Whether a token without the requested binding is accepted. Default: `false`. */
  readonly allowBearer?: boolean | undefined;
}

const maxToken = 16_384;
/** A year, in seconds. */
const maxLife = 31_536_000;
const visible = /^[\x21-\x7e]+$/;

/**
 * Checks a successful token response. Departures that real servers have are corrected first; an
 * ID token is removed, because the client does not use it.
 *
 * @throws `AuthError` `TOKEN_INVALID` or `DOWNGRADE`.
 */
export async function readTokens(
  setting: Setting,
  json: Json,
  expected: ExpectedTokens,
): Promise<IssuedTokens> {
  const { issuer, client, asked, allowBearer = false } = expected;
  const isBound = expected.proofKey !== undefined;
  const { id_token: _, ...rest } = json;
  const { expires_in: life, scope } = rest;
  const seconds = Number(life);
  const isKnown = seconds >= 1 && seconds <= maxLife;
  if (!isKnown && life !== undefined) {
    warn(setting, `The authorization server declares a lifetime of ${seconds} seconds; it is ignored.`);
  }
  const body = JSON.stringify({
    token_type: isBound ? undefined : "Bearer",
    ...rest,
    // Read above.
    expires_in: undefined,
    // Twitch lists its scopes in an array.
    scope: strings(scope)?.join(" ") ?? scope,
  });
  const invalid = (what: string) =>
    failure(
      setting,
      "TOKEN_INVALID",
      `The token response ${what}. The authorization server has to be corrected.`,
      {
        issuer,
      },
    );
  const answer = await processGenericTokenEndpointResponse(
    { issuer },
    { client_id: client.id },
    new Response(body, { headers: { "content-type": "application/json" } }),
    // The cause would contain the response, and with it the tokens.
  ).catch(() => undefined);
  if (answer === undefined) {
    throw invalid("must have an access token and a known token type");
  }
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = answer;
  for (const token of [accessToken, refreshToken ?? accessToken]) {
    if (token.length > maxToken || !visible.test(token)) {
      throw invalid(`must have tokens of at most ${maxToken} visible ASCII characters`);
    }
  }
  let refused: AuthError | undefined;
  if (isBound && type !== "dpop" && !allowBearer) {
    refused = failure(
      setting,
      "DOWNGRADE",
      "A token that is bound to a key was requested, but the authorization server issued a bearer token. Remove proof, or set allowBearer.",
      { issuer },
    );
  } else if (!isBound && type === "dpop") {
    refused = invalid("must not have the token type DPoP");
  }
  return {
    accessToken,
    isBound: type === "dpop",
    refreshToken,
    lifeMs: isKnown ? seconds * 1000 : undefined,
    scopes: readScopes(answer.scope) ?? asked,
    refused,
  };
}

/** An error response of an OAuth endpoint. */
export interface OAuthError {
  /** The error code, such as `invalid_grant`. */
  readonly error: string;
  /** The code and the description, harmless to show. */
  readonly text: string;
}

/** Reads an error response, whatever its status is: some servers send it with status 200. */
export function readError(json: Json | undefined): OAuthError | undefined {
  const { error, error_description: description } = json ?? {};
  if (typeof error !== "string" || error === "") {
    return undefined;
  }
  const detail = typeof description === "string" ? ` (${harmless(description)})` : "";
  // A code is a word. Other characters may be an echo of the request.
  const code = /^[a-z_]{1,64}$/.test(error) ? quoted(error) : harmless(error);
  return { error, text: `${code}${detail}` };
}
