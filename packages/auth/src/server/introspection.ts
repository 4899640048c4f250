import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";

import { present } from "../shared/present.ts";
import { checkCredentials, formRequest, type ClientCredentials } from "./client-secret.ts";
import { fetchJson, type FetchFunction } from "./fetch-json.ts";
import { fromClaims } from "./from-claims.ts";
import { isAudience } from "./granted.ts";
import { checkedUrl } from "./resource-url.ts";
import { VerifierUnavailable, type RejectedToken, type VerifiedToken, type Verify } from "./verify.ts";

/** Options of {@link introspection}. */
export interface IntrospectionOptions {
  /** The introspection endpoint of the authorization server. */
  readonly endpoint: string;
  /** The issuer of the tokens. Tokens of other issuers are rejected. */
  readonly issuer: string;
  /**
   * The credentials of this server at the authorization server, sent with HTTP Basic
   * authentication.
   */
  readonly client: ClientCredentials;
  /** Sends the requests. Default: `fetch` of the platform. */
  readonly fetch?: FetchFunction | undefined;
  /** Bounds. */
  readonly limits?: IntrospectionLimits | undefined;
}

/** Bounds of {@link introspection}. */
export interface IntrospectionLimits {
  /**
   * How long an active token is remembered, in milliseconds; at most `limits.ttlMs` of the guard.
   * Default: `30_000`.
   */
  readonly activeTtlMs?: number | undefined;
  /**
   * How long an inactive token is remembered, in milliseconds; at most `limits.ttlMs` of the
   * guard. Default: `5_000`.
   */
  readonly inactiveTtlMs?: number | undefined;
  /** How long a response may take, in milliseconds. Default: `5_000`. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a response in bytes. Default: `65_536` (64 KiB). */
  readonly maxMessageBytes?: number | undefined;
}

const limitRules: LimitRules<IntrospectionLimits> = {
  activeTtlMs: [30_000, 0],
  inactiveTtlMs: [5000, 0],
  timeoutMs: [5000, 1, 600_000],
  maxMessageBytes: [65_536, 1],
};

/**
 * Verifies tokens by asking the authorization server: for tokens that are not JWTs, and where a
 * revoked token must be refused soon.
 *
 * @throws `TypeError` for options that do not exist, and for an endpoint that is not https.
 * @source RFC 7662
 */
export function introspection(options: IntrospectionOptions): Verify {
  checkOptionNames("introspection", options, "endpoint issuer client fetch:function limits", limitRules);
  const { endpoint, issuer, client, fetch } = options;
  checkedUrl(endpoint, "endpoint of introspection");
  checkedUrl(issuer, "issuer of introspection");
  checkCredentials(client, "introspection");
  const {
    activeTtlMs,
    inactiveTtlMs,
    timeoutMs,
    maxMessageBytes: maxBytes,
  } = readLimits(options.limits, limitRules);

  return async (token) => {
    const { status, json } = await fetchJson(endpoint, {
      subject: "introspection endpoint",
      fetch,
      timeoutMs,
      maxBytes,
      init: formRequest(client, { token, token_type_hint: "access_token" }),
    });
    if (status !== 200) {
      // The token may be valid although the credentials of this server are wrong.
      const why = `The introspection endpoint of ${issuer} returned status ${status}: check the client of introspection.`;
      throw new VerifierUnavailable(why);
    }
    return verdictOf(json, issuer, { activeTtlMs, inactiveTtlMs });
  };
}

function verdictOf(
  json: Readonly<Record<string, unknown>>,
  issuer: string,
  { activeTtlMs, inactiveTtlMs }: { readonly activeTtlMs: number; readonly inactiveTtlMs: number },
): VerifiedToken | RejectedToken {
  const said = present(json);
  const { active, iss, sub, client_id: clientId, aud, nbf } = said;
  const subject = sub ?? clientId;
  const isEarly = typeof nbf === "number" && nbf * 1000 > Date.now() + 30_000;
  const audience: unknown = aud ?? [];
  const isOther = iss !== undefined && iss !== issuer;
  if (active !== true || isOther || typeof subject !== "string" || isEarly || !isAudience(audience)) {
    const reason = active === true ? "issuer, subject, audience or nbf" : "inactive";
    return { rejected: "invalid", reason, ttlMs: inactiveTtlMs };
  }
  return {
    issuer,
    subject,
    clientId: typeof clientId === "string" ? clientId : undefined,
    audience,
    ...fromClaims(said),
    claims: json,
    ttlMs: activeTtlMs,
  };
}
