import { isRecord } from "@tenon/base";

import { scopesIn } from "./scopes-in.ts";
import type { VerifiedToken } from "./verify.ts";

/** The properties of a token that JWTs and introspection describe with the same claims. */
export type DescribedToken = Pick<
  VerifiedToken,
  "scopes" | "expiresAt" | "issuedAt" | "confirmation" | "claims"
>;

/**
 * Reads the properties of a token that every claim set describes alike. A `cnf` claim that cannot
 * be read binds the token to a key that nobody has.
 *
 * @param rolesClaim - The name of a claim whose values count as scopes as well.
 */
export function fromClaims(claims: Readonly<Record<string, unknown>>, rolesClaim?: string): DescribedToken {
  const { exp, iat, cnf } = claims;
  return {
    scopes: scopesIn(claims, rolesClaim),
    expiresAt: timeOf(exp),
    issuedAt: timeOf(iat),
    confirmation: cnf === undefined ? undefined : isRecord(cnf) ? cnf : { unreadable: true },
    claims,
  };
}

/** A time of a claim, in milliseconds since 1970. */
function timeOf(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? seconds * 1000 : undefined;
}
