import type { Json } from "../requests.ts";
import { failure, quoted, strings, warn, type Setting } from "../setting.ts";
import { differBySlash } from "./url.ts";

/** The metadata of an authorization server (RFC 8414), as far as a client needs it. */
export interface ServerMetadata {
  /** As the document spells it. */
  readonly issuer: string;
  readonly authorization_endpoint?: string | undefined;
  readonly token_endpoint?: string | undefined;
  readonly registration_endpoint?: string | undefined;
  readonly revocation_endpoint?: string | undefined;
  readonly device_authorization_endpoint?: string | undefined;
  readonly pushed_authorization_request_endpoint?: string | undefined;
  readonly require_pushed_authorization_requests?: boolean | undefined;
  readonly client_id_metadata_document_supported?: boolean | undefined;
  readonly authorization_response_iss_parameter_supported?: boolean | undefined;
  readonly code_challenge_methods_supported?: readonly string[] | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
  readonly token_endpoint_auth_methods_supported?: readonly string[] | undefined;
  readonly dpop_signing_alg_values_supported?: readonly string[] | undefined;
  readonly authorization_grant_profiles_supported?: readonly string[] | undefined;
  /** The document was found at an address of OpenID Connect or names one of its endpoints. */
  readonly speaksOpenId: boolean;
  /** The MCP server is its own authorization server, as in 2025-03-26. */
  readonly isLegacy: boolean;
}

const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
  "pushed_authorization_request_endpoint",
] as const;
/** The endpoints without which every login works. */
const dispensable: ReadonlySet<string> = new Set([
  "revocation_endpoint",
  "pushed_authorization_request_endpoint",
]);
const lists = [
  "code_challenge_methods_supported",
  "scopes_supported",
  "token_endpoint_auth_methods_supported",
  "dpop_signing_alg_values_supported",
  "authorization_grant_profiles_supported",
] as const;
const flags = [
  "require_pushed_authorization_requests",
  "client_id_metadata_document_supported",
  "authorization_response_iss_parameter_supported",
] as const;

/**
 * Checks the metadata of an authorization server. The URL of an endpoint is checked where it is
 * used, so that a server is not refused for an endpoint that this client does not need.
 *
 * @param expected - The issuer by which the document was found.
 * @throws `AuthError` `ISSUER_MISMATCH` or `METADATA_INVALID`.
 * @source R-739
 */
export function readServerMetadata(setting: Setting, json: Json, expected: string): ServerMetadata {
  const { issuer } = json;
  if (typeof issuer !== "string") {
    throw failure(
      setting,
      "METADATA_INVALID",
      "The metadata of the authorization server must name its issuer.",
      {
        issuer: expected,
      },
    );
  }
  if (issuer !== expected) {
    if (setting.isStrict || !differBySlash(issuer, expected)) {
      throw failure(
        setting,
        "ISSUER_MISMATCH",
        `The metadata of ${quoted(expected)} must name this issuer, but names ${quoted(issuer)}. The authorization server, or the MCP server that names it, has to be corrected.`,
        { issuer: expected },
      );
    }
    warn(
      setting,
      `The issuer ${quoted(issuer)} is named ${quoted(expected)} elsewhere. Both lead to the same document, so the difference is tolerated; strictness "strict" rejects it.`,
    );
  }
  const pick = <const N extends string, T>(
    names: readonly N[],
    read: (value: unknown, name: N) => T | undefined,
  ) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = json[name];
        const result = value === undefined ? undefined : read(value, name);
        return result === undefined ? [] : [[name, result]];
      }),
    ) as { [name in N]?: T };
  return {
    issuer,
    ...pick(endpoints, (value, name) => {
      const isRequired = name.startsWith("pushed") && json["require_pushed_authorization_requests"] === true;
      return isRequired || !dispensable.has(name) || isUsable(setting, value, name)
        ? String(value)
        : undefined;
    }),
    ...pick(lists, strings),
    ...pick(flags, (value) => value === true),
    speaksOpenId: json["userinfo_endpoint"] !== undefined || json["subject_types_supported"] !== undefined,
    isLegacy: false,
  };
}

function isUsable(setting: Setting, value: unknown, name: string): boolean {
  try {
    setting.rules.parse(String(value), name.replaceAll("_", " "));
    return true;
  } catch (error) {
    warn(setting, `${error instanceof Error ? error.message : String(error)} It is not used.`);
    return false;
  }
}

/**
 * The addresses at which 2025-03-26 expects an authorization server without metadata. @source
 *
 */
export function assumedMetadata(issuer: string): ServerMetadata {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    speaksOpenId: false,
    isLegacy: true,
  };
}
