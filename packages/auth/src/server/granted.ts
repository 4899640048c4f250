import type { AuthInfo } from "@tenon/protocol";

import type { RejectedToken, VerifiedToken } from "./verify.ts";

/** A verified token, and the identity of its sender. */
export interface Granted {
  readonly auth: AuthInfo;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string | undefined;
  /** False if the verification has looked at more than the token, such as at the connection. */
  readonly isReusable: boolean;
}

/** The requirements for tokens. */
export interface TokenRules {
  /** Without it every audience is accepted. */
  readonly audience: readonly string[] | undefined;
  /** `Infinity`: only the time of expiry counts. */
  readonly maxTokenAgeMs: number;
  readonly clockToleranceMs: number;
  readonly metadataUrl: string;
  readonly principal: ((token: VerifiedToken) => string) | undefined;
}

/**
 * Checks what a verifier has returned: audience, times, binding.
 *
 * @returns Who the sender is, or why the token is refused.
 * @throws `TypeError` for a value that is not a verified token, with the name of the property that
 *   has a wrong type, and for a principal that is not a string.
 * @source R-726
 */
export function grant(token: VerifiedToken, rules: TokenRules): Granted | RejectedToken {
  const { issuer, subject, clientId, scopes, claims, confirmation } = token;
  const audience = typeof token.audience === "string" ? [token.audience] : token.audience;
  const wrong = [
    isText(issuer) || "issuer",
    isText(subject) || "subject",
    isTexts(audience) || "audience",
    isTexts(scopes) || "scopes",
  ].find((name) => name !== true);
  if (wrong !== undefined) {
    throw new TypeError(`verify must return { rejected }, or a token with a valid ${wrong}.`);
  }
  const expiresAt = expiryOf(token, rules.maxTokenAgeMs);
  if (rules.audience !== undefined && !rules.audience.some((own) => audience.includes(own))) {
    return invalid("audience");
  }
  if (expiresAt === undefined) {
    return noExpiry;
  }
  if (!isBound(token)) {
    return invalid("binding");
  }
  if (isOver(expiresAt, rules)) {
    // As milliseconds, the time would be between 1970 and 1973. No token is so old.
    return expiresAt > 1e9 && expiresAt < 1e11 ? inSeconds : expired;
  }
  const jkt = confirmation?.jkt as string | undefined;
  const principal = rules.principal?.(token) ?? JSON.stringify([issuer, subject, clientId ?? null]);
  if (!isText(principal)) {
    throw new TypeError("principal of createGuard must return a string that is not empty.");
  }
  const { metadataUrl } = rules;
  const binding = jkt === undefined ? "bearer" : "dpop";
  const known = { issuer, subject, clientId, audience, expiresAt, binding, metadataUrl } as const;
  const auth = Object.freeze({ principal, scopes, claims, ...known });
  return { auth, jkt, isReusable: token.isBindingChecked !== true };
}

/** The refusal of a token that has expired. */
export const expired: RejectedToken = { rejected: "expired", reason: "expired" };

/** The refusal of a token for another reason. */
export function invalid(reason: string): RejectedToken {
  return { rejected: "invalid", reason };
}

/** The refusal of a token without a time of expiry: probably a mistake of `verify`. */
export const noExpiry: RejectedToken = invalid("no expiry");

/** The refusal of a token whose time of expiry is in seconds: a mistake of `verify`. */
export const inSeconds: RejectedToken = { rejected: "expired", reason: "an expiry in seconds" };

/** Whether a time is past, give or take the tolerance. */
export function isOver(
  expiresAt: number,
  { clockToleranceMs }: Pick<TokenRules, "clockToleranceMs">,
): boolean {
  return Date.now() >= expiresAt + clockToleranceMs;
}

/** The time of expiry; `undefined` if the token has none, or one that is not a time. */
function expiryOf({ expiresAt, issuedAt }: VerifiedToken, maxTokenAgeMs: number): number | undefined {
  const latest = issuedAt === undefined ? Infinity : issuedAt + maxTokenAgeMs;
  const at = Math.min(expiresAt ?? Infinity, latest);
  return Number.isSafeInteger(Math.trunc(at)) ? at : undefined;
}

/**
 * A token that is bound to something may be used by its holder only: to check that is not
 * optional.
 */
function isBound({ confirmation, isBindingChecked }: VerifiedToken): boolean {
  if (confirmation === undefined) {
    return true;
  }
  return Object.keys(confirmation).every(
    (method) => (method === "jkt" && isText(confirmation.jkt)) || isBindingChecked === true,
  );
}

/** Whether a claim is an audience: a string, or strings. */
export function isAudience(value: unknown): value is string | readonly string[] {
  return typeof value === "string" || isTexts(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
