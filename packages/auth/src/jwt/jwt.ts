import { checkOptionNames, codeOf, readLimits, type LimitRules } from "@tenon/base";
import { decodeJwt, jwtVerify, type JWTPayload } from "jose";

import type { FetchFunction } from "../server/fetch-json.ts";
import { fromClaims } from "../server/from-claims.ts";
import { invalid, isAudience } from "../server/granted.ts";
import { checkedUrl } from "../server/resource-url.ts";
import type { RejectedToken, VerifiedToken, Verify } from "../server/verify.ts";
import { KeySet } from "./key-set.ts";

/** The algorithms of access tokens. Symmetric ones are never accepted. */
export type JwtAlgorithm = "ES256" | "ES384" | "ES512" | "PS256" | "RS256" | "EdDSA" | "Ed25519";

/** Options of {@link jwt}: one issuer. */
export interface JwtOptions {
  /** The issuer of the tokens, exactly as it names itself in `iss`. */
  readonly issuer: string;
  /** The URL of the issuer's keys. Default: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  /**
   * The algorithms that tokens may have. Default: `ES256`, `ES384`, `ES512`, `PS256`, `RS256`,
   * `EdDSA` and `Ed25519`.
   */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined;
  /**
   * The `typ` of tokens. `"any"` is for issuers that do not write `at+jwt`, such as Entra ID,
   * classic Auth0 and Google: tokens that look like ID tokens are then refused. Default:
   * `"at+jwt"`.
   */
  readonly typ?: "at+jwt" | "any" | undefined;
  /**
   * A claim whose values count as scopes as well, such as `"roles"`. By default only `scope` and
   * `scp` count.
   */
  readonly rolesClaim?: string | undefined;
  /** Fetches metadata and keys. Default: `fetch` of the platform. */
  readonly fetch?: FetchFunction | undefined;
  /** Bounds. */
  readonly limits?: JwtLimits | undefined;
}

/** Bounds of {@link jwt}. */
export interface JwtLimits {
  /**
   * How long keys are used before they are fetched again, in milliseconds. Default: `600_000` (10
   * minutes).
   */
  readonly keysTtlMs?: number | undefined;
  /**
   * How long keys are used after that while they cannot be fetched, in milliseconds. Default:
   * `3_600_000` (1 hour).
   */
  readonly staleKeysTtlMs?: number | undefined;
  /**
   * Minimum time between two fetches of the keys, in milliseconds, however many tokens name a key
   * that is not known. Default: `30_000`.
   */
  readonly keysIntervalMs?: number | undefined;
  /** How long a response may take, in milliseconds. Default: `5_000`. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a response in bytes. Default: `262_144` (256 KiB). */
  readonly maxMessageBytes?: number | undefined;
  /**
   * How much the clocks of the issuer and of this server may differ, in milliseconds. Default:
   * `30_000`.
   */
  readonly clockToleranceMs?: number | undefined;
}

const limitRules: LimitRules<JwtLimits> = {
  keysTtlMs: [600_000, 0],
  staleKeysTtlMs: [3_600_000, 0],
  keysIntervalMs: [30_000, 1000],
  timeoutMs: [5000, 1, 600_000],
  maxMessageBytes: [262_144, 1],
  clockToleranceMs: [30_000, 0],
};

const safeAlgorithms: readonly JwtAlgorithm[] = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "RS256",
  "EdDSA",
  "Ed25519",
];

/**
 * Verifies JWTs by the keys of their issuer. The guard checks their audience.
 *
 * @example
 * createGuard({
 *   resource: "https://notes.example.com/mcp",
 *   verify: jwt({ issuer: "https://login.example.com" }),
 * });
 *
 * @param options - One issuer, or several: the `iss` of a token only chooses among them.
 * @throws `TypeError` for options that do not exist, for an issuer that is not https, and for
 *   algorithms that are not asymmetric.
 * @source RFC 9068 §4, RFC 8725
 */
export function jwt(options: JwtOptions | readonly JwtOptions[]): Verify {
  const issuers = new Map(
    [options].flat().map((one) => {
      const verify = verifierOf(one);
      return [one.issuer, verify] as const;
    }),
  );
  const [only] = issuers.size === 1 ? issuers.values() : [];
  if (issuers.size === 0) {
    throw new TypeError("jwt needs at least one issuer.");
  }
  return async (token) => {
    const verify = only ?? issuers.get(issuerOf(token));
    return verify === undefined ? invalid("issuer") : verify(token);
  };
}

function verifierOf(options: JwtOptions): (token: string) => Promise<VerifiedToken | RejectedToken> {
  check(options);
  const { issuer, algorithms = safeAlgorithms, typ = "at+jwt", rolesClaim } = options;
  const { clockToleranceMs, ...limits } = readLimits(options.limits, limitRules);
  const keys = new KeySet(options, limits);
  return async (token) => {
    const check = (): ReturnType<typeof jwtVerify> =>
      jwtVerify(token, (header, jws) => keys.find(header, jws), {
        issuer,
        algorithms: [...algorithms],
        clockTolerance: clockToleranceMs / 1000,
        requiredClaims: ["exp", "sub"],
        ...(typ === "any" ? {} : { typ }),
      });
    let payload: JWTPayload;
    try {
      ({ payload } = await check().catch(async (error: unknown) => {
        // The key may have been replaced by one with the same identifier.
        if (codeOf(error) === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" && (await keys.renew())) {
          return check();
        }
        throw error;
      }));
    } catch (error) {
      return refusalOf(error);
    }
    const { iat, nonce, at_hash: tokenHash } = payload;
    const isEarly = iat !== undefined && iat * 1000 > Date.now() + clockToleranceMs;
    // Only ID tokens have these claims.
    const isIdToken = typ === "any" && (nonce !== undefined || tokenHash !== undefined);
    if (isEarly || isIdToken) {
      return invalid(isEarly ? "issued in the future" : "ID token");
    }
    return verified(payload, issuer, rolesClaim);
  };
}

function verified(
  payload: JWTPayload,
  issuer: string,
  rolesClaim: string | undefined,
): VerifiedToken | RejectedToken {
  const { sub, aud, exp, client_id: clientId, azp } = payload;
  if (typeof sub !== "string" || sub === "" || exp === undefined) {
    return invalid("subject");
  }
  const audience: unknown = aud ?? [];
  if (!isAudience(audience)) {
    return invalid("audience");
  }
  const client = clientId ?? azp;
  return {
    issuer,
    subject: sub,
    clientId: typeof client === "string" ? client : undefined,
    audience,
    ...fromClaims(payload, rolesClaim),
  };
}

/**
 * Returns the rejection for an error that is about the token. @throws Any other error, such as
 * that keys cannot be fetched.
 */
function refusalOf(error: unknown): RejectedToken {
  const { code, claim } = (error ?? {}) as { readonly code?: unknown; readonly claim?: unknown };
  if (code === "ERR_JWT_EXPIRED") {
    return { rejected: "expired", reason: code };
  }
  if (typeof code === "string" && /^ERR_J(?:OSE|WS|WT|WK|WKS)_/.test(code)) {
    return invalid(typeof claim === "string" ? `${code} ${claim}` : code);
  }
  // Keys that the platform cannot import, and tokens that are not text of a JWT.
  if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException) {
    return invalid("not a JWT, or a key that cannot be imported");
  }
  throw error;
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    return "";
  }
}

/** @throws `TypeError` */
function check(options: JwtOptions): void {
  checkOptionNames(
    "jwt",
    options,
    "issuer jwksUri algorithms typ rolesClaim fetch:function limits",
    limitRules,
  );
  const { issuer, jwksUri, algorithms = safeAlgorithms } = options;
  checkedUrl(issuer, "issuer of jwt");
  if (jwksUri !== undefined) {
    checkedUrl(jwksUri, "jwksUri of jwt");
  }
  if (algorithms.length === 0 || !algorithms.every((name) => safeAlgorithms.includes(name))) {
    throw new TypeError(`algorithms of jwt must be some of ${safeAlgorithms.join(", ")}.`);
  }
}
