import type { AuthError } from "../../shared/error.ts";
import { failure, type Setting } from "../setting.ts";
import type { TokenRecord } from "../tokens/records.ts";
import type { Demand } from "./demand.ts";
import { lacking } from "./scopes.ts";

/**
 * The error of a request that needs a login.
 *
 * @param asked - The scopes that the request needs beyond those of its token.
 */
export function needsUser(
  setting: Setting,
  record: TokenRecord | undefined,
  { required: needed, challenged }: Demand,
  asked: readonly string[],
): AuthError {
  const required = needed.length === 0 ? challenged : needed;
  const { issuer, scopes } = record ?? {};
  // An authorization server that does not name the granted scopes has granted all of them, as far
  // as the record knows.
  const missing = scopes && (lacking(required ?? [], scopes) || lacking(asked));
  const text = `The MCP server requires ${missing ? `further scopes: ${missing}` : "authorization"}. Call login() to ask the user for it.`;
  return failure(setting, "NEEDS_USER", text, { issuer, required });
}

/** The error of a request whose tokens were issued a moment ago, and refused. */
export function tokenRejected(setting: Setting, record: TokenRecord | undefined): AuthError {
  return failure(
    setting,
    "TOKEN_REJECTED",
    "The MCP server rejects fresh tokens. Correct its configuration: it may expect another issuer, audience or resource. Call login(), or try again in a minute.",
    { issuer: record?.issuer },
  );
}

/** The error of a request whose scopes the last login has requested in vain. */
export function requestedBefore(
  setting: Setting,
  { issuer, scopes: granted }: TokenRecord,
  required: readonly string[],
): AuthError {
  return failure(
    setting,
    "SCOPE_DENIED",
    `The last login requested the scopes that the operation requires (${lacking(required)}), but the MCP server does not accept them for this user. Have the user granted these rights, then log in again.`,
    { issuer, required, granted },
  );
}

/** The error of a request whose scopes a login has not brought. */
export function notGranted(
  setting: Setting,
  record: TokenRecord | undefined,
  required: readonly string[],
): AuthError {
  const { issuer, scopes: granted = [] } = record ?? {};
  return failure(
    setting,
    "SCOPE_DENIED",
    `The authorization server did not grant scopes that the operation requires: ${lacking(required, granted)}.`,
    { issuer, required, granted },
  );
}
