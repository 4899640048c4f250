import type { Clock } from "@tenon/base";

import { randomText } from "../client/tokens/records.ts";
import { sha256 } from "../shared/base64url.ts";

/** Behavior of a scripted authorization server. */
export interface IssuerOptions {
  /** Lifetime of access tokens, in seconds. `0`: the responses do not name one. Default: `3600`. */
  readonly expiresIn?: number | undefined;
  /**
   * Whether a refresh token can be used once, and a second use revokes all tokens of its login.
   * Default: `true`.
   */
  readonly rotates?: boolean | undefined;
  /**
   * Returns the scopes that are granted of the requested scopes. By default all of them are
   * granted.
   */
  readonly grants?: ((scopes: readonly string[]) => readonly string[]) | undefined;
  /** Whether refresh tokens are issued. Default: `true`. */
  readonly refreshTokens?: boolean | undefined;
}

/** A token that an {@link Issuer} knows. */
export interface IssuedAccess {
  readonly family: string;
  readonly clientId: string;
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  /** On the clock of the issuer, in milliseconds. */
  readonly expiresAt: number;
  readonly thumbprint: string | undefined;
}

/**
 * The memory of a scripted authorization server: codes, tokens and the logins that they come from.
 */
export interface Issuer {
  /** Creates a code for an authorization request. */
  authorize(parameters: URLSearchParams): string;
  /** Handles the form of a token request. */
  token(form: URLSearchParams, clientId: string, thumbprint: string | undefined): Promise<Response>;
  /** Returns the access that a token gives now. */
  access(token: string): IssuedAccess | undefined;
  /** Revokes a token. */
  revoke(token: string): void;
  /** Revokes every access token; refresh tokens stay valid. */
  expireAll(): void;
  /** Ends all logins: refresh tokens are revoked too. */
  endAll(): void;
  /** How many times each refresh token was presented. */
  readonly presented: ReadonlyMap<string, number>;
  /** How many logins were revoked because a refresh token was used twice. */
  readonly reuses: number;
}

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });

/** Creates an {@link Issuer}. */
export function createIssuer(clock: Clock, options: IssuerOptions): Issuer {
  const { expiresIn = 3600, rotates = true, grants = (scopes) => scopes, refreshTokens = true } = options;
  const codes = new Map<string, URLSearchParams>();
  const tokens = new Map<string, IssuedAccess>();
  const refreshes = new Map<string, IssuedAccess & { isUsed: boolean }>();
  const dead = new Set<string>();
  const presented = new Map<string, number>();
  let reuses = 0;

  function issue(access: Omit<IssuedAccess, "expiresAt">, keepRefresh?: string): Response {
    const accessToken = `access-${randomText(12)}`;
    const refreshToken = keepRefresh ?? `refresh-${randomText(12)}`;
    const expiresAt = expiresIn === 0 ? Infinity : clock.now() + expiresIn * 1000;
    tokens.set(accessToken, { ...access, expiresAt });
    if (keepRefresh === undefined && refreshTokens) {
      refreshes.set(refreshToken, { ...access, expiresAt, isUsed: false });
    }
    return json({
      access_token: accessToken,
      token_type: access.thumbprint === undefined ? "Bearer" : "DPoP",
      ...(expiresIn === 0 ? {} : { expires_in: expiresIn }),
      ...(refreshTokens ? { refresh_token: refreshToken } : {}),
      ...(access.scopes.length === 0 ? {} : { scope: access.scopes.join(" ") }),
    });
  }

  async function redeem(form: URLSearchParams, thumbprint: string | undefined): Promise<Response> {
    const code = form.get("code") ?? "";
    const asked = codes.get(code);
    codes.delete(code);
    const isValid =
      asked !== undefined &&
      asked.get("redirect_uri") === form.get("redirect_uri") &&
      asked.get("resource") === form.get("resource") &&
      asked.get("code_challenge") === (await sha256(form.get("code_verifier") ?? ""));
    return isValid
      ? issue({
          family: randomText(12),
          clientId: asked.get("client_id") ?? "",
          resource: asked.get("resource") ?? undefined,
          scopes: grants((asked.get("scope") ?? "").split(" ").filter((scope) => scope !== "")),
          thumbprint,
        })
      : json({ error: "invalid_grant", error_description: "The code is unknown." }, 400);
  }

  function renew(form: URLSearchParams): Response {
    const token = form.get("refresh_token") ?? "";
    presented.set(token, (presented.get(token) ?? 0) + 1);
    const known = refreshes.get(token);
    if (known === undefined || dead.has(known.family)) {
      return json({ error: "invalid_grant" }, 400);
    }
    if (rotates && known.isUsed) {
      reuses++;
      dead.add(known.family);
      return json({ error: "invalid_grant", error_description: "The refresh token was used twice." }, 400);
    }
    known.isUsed = true;
    return issue(known, rotates ? undefined : token);
  }

  return {
    presented,
    get reuses() {
      return reuses;
    },
    authorize(parameters) {
      const code = `code-${randomText(12)}`;
      codes.set(code, parameters);
      return code;
    },
    async token(form, clientId, thumbprint) {
      switch (form.get("grant_type")) {
        case "authorization_code":
          return redeem(form, thumbprint);
        case "refresh_token":
          return renew(form);
        case null:
          return json({ error: "invalid_request" }, 400);
        default:
          return issue({
            family: randomText(12),
            clientId,
            resource: form.get("resource") ?? undefined,
            scopes: grants((form.get("scope") ?? "").split(" ").filter((scope) => scope !== "")),
            thumbprint,
          });
      }
    },
    access(token) {
      const found = tokens.get(token);
      return found !== undefined && found.expiresAt > clock.now() && !dead.has(found.family)
        ? found
        : undefined;
    },
    revoke(token) {
      const family = refreshes.get(token)?.family;
      if (family !== undefined) {
        dead.add(family);
      }
      tokens.delete(token);
    },
    expireAll: () => tokens.clear(),
    endAll() {
      for (const { family } of [...tokens.values(), ...refreshes.values()]) {
        dead.add(family);
      }
    },
  };
}
