import { formatChallenge } from "@tenon/http/server";

/** The responses of a guard to rejected requests. */
export interface Refusals {
  /** There are no credentials. @source RFC 6750 §3.1 */
  missing(): Response;
  /** The request itself is wrong. */
  malformed(description: string): Response;
  /**
   * The token is not valid. One text for all reasons but one: who guesses tokens must not learn
   * from it.
   */
  invalid(reason: "invalid" | "expired"): Response;
  insufficient(scopes: readonly string[]): Response;
  /**
   * The proof of possession is not valid. @param nonce - The client should repeat the request
   * with this nonce.
   */
  unproven(description: string, nonce?: string): Response;
  /** Tokens cannot be verified now. @param retryAfterMs - When to try again. Default: 5 s. */
  unavailable(retryAfterMs?: number): Response;
}

/** The content of challenges. */
export interface ChallengeFacts {
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
  /**
   * The algorithms of DPoP proofs, if those are accepted; and whether a token without one is
   * refused.
   */
  readonly dpop?: { readonly algorithms: readonly string[]; readonly isRequired: boolean } | undefined;
}

/** When clients should try again by default, in milliseconds. */
const defaultRetryMs = 5000;

const texts = {
  invalid: "The access token is not valid",
  expired: "The access token has expired",
} as const;

/** Makes the refusals of a guard. Nothing in them comes from a request. */
export function createRefusals({ metadataUrl, scopes, dpop }: ChallengeFacts): Refusals {
  const algs = dpop?.algorithms.join(" ");
  const scope = scopes.length === 0 ? undefined : scopes.join(" ");

  function challenges(error?: string, description?: string, asked = scope): string {
    const fields = { error, error_description: description, scope: asked, resource_metadata: metadataUrl };
    return [
      ...(dpop === undefined ? [] : [formatChallenge("DPoP", { ...fields, algs })]),
      ...(dpop?.isRequired === true ? [] : [formatChallenge("Bearer", fields)]),
    ].join(", ");
  }

  function respond(
    status: number,
    challenge: string | undefined,
    error: string,
    description: string,
    headers: Readonly<Record<string, string>> = {},
  ): Response {
    return new Response(JSON.stringify({ error, error_description: description }), {
      status,
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store",
        ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
        ...headers,
      },
    });
  }

  return {
    missing: () => respond(401, challenges(), "unauthorized", "This server needs an access token"),
    malformed: (description) =>
      respond(400, challenges("invalid_request", description), "invalid_request", description),
    invalid: (reason) =>
      respond(401, challenges("invalid_token", texts[reason]), "invalid_token", texts[reason]),
    insufficient(needed) {
      const description = "The access token lacks scopes";
      const challenge = challenges("insufficient_scope", description, needed.join(" "));
      return respond(403, challenge, "insufficient_scope", description);
    },
    unproven(description, nonce) {
      const error = nonce === undefined ? "invalid_dpop_proof" : "use_dpop_nonce";
      const fields = { error, error_description: description, algs, scope, resource_metadata: metadataUrl };
      const headers = nonce === undefined ? {} : { "dpop-nonce": nonce };
      return respond(401, formatChallenge("DPoP", fields), error, description, headers);
    },
    unavailable(retryAfterMs = defaultRetryMs) {
      const description = "Access tokens cannot be verified at the moment";
      return respond(503, undefined, "temporarily_unavailable", description, {
        "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))),
      });
    },
  };
}
