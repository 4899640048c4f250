import { isRecord } from "@tenon/base";

import { isLocalRedirect, isSafeRedirect } from "./redirect-uris.ts";

/** The properties of a registration, with their maximum length as JSON. */
const members: Readonly<Record<string, number>> = {
  application_type: 20,
  client_name: 200,
  client_uri: 500,
  grant_types: 500,
  logo_uri: 500,
  policy_uri: 500,
  redirect_uris: 20_000,
  response_types: 100,
  scope: 4000,
  software_id: 200,
  software_version: 100,
  token_endpoint_auth_method: 40,
  tos_uri: 500,
};
/** Maximum number of redirect URIs of a client. */
const maxRedirects = 10;
/** The grants that this server has: a client that names others as well is not refused. */
const grants: ReadonlySet<string> = new Set([
  "authorization_code",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
]);

/** Why a registration is refused, by RFC 7591. */
export interface RegistrationProblem {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  readonly error_description: string;
}

/**
 * Reduces a registration to the properties that this server uses. None makes it send requests:
 * keys and documents at URLs are for clients with a metadata document.
 *
 * Without `application_type`, a client gets the type that fits its redirect URIs.
 */
export function readRegistration(body: Buffer): Readonly<Record<string, unknown>> | RegistrationProblem {
  const invalid = (error_description: string): RegistrationProblem => ({
    error: "invalid_client_metadata",
    error_description,
  });
  let metadata: unknown;
  try {
    metadata = JSON.parse(body.toString());
  } catch {
    return invalid("The registration must be a JSON object; got something else.");
  }
  if (!isRecord(metadata)) {
    return invalid("The registration must be a JSON object; got something else.");
  }
  const known: Record<string, unknown> = {};
  for (const [name, maxLength] of Object.entries(members)) {
    const value = metadata[name];
    if (value === undefined || value === null || value === "") {
      continue;
    }
    if (JSON.stringify(value).length > maxLength) {
      return invalid(`${name} is too long: at most ${maxLength} characters.`);
    }
    known[name] = value;
  }
  const redirects = known["redirect_uris"] ?? [];
  if (!Array.isArray(redirects) || redirects.length > maxRedirects) {
    return {
      error: "invalid_redirect_uri",
      error_description: `redirect_uris is an array of at most ${maxRedirects} URIs.`,
    };
  }
  const unsafe: unknown = redirects.find((uri) => typeof uri !== "string" || !isSafeRedirect(uri));
  if (unsafe !== undefined) {
    return {
      error: "invalid_redirect_uri",
      error_description:
        "Each redirect URI must be an https URL, an http URL of 127.0.0.1, [::1] or localhost, or have the scheme of an app, without fragment and user; got another.",
    };
  }
  if (Array.isArray(known["grant_types"])) {
    known["grant_types"] = known["grant_types"].filter((one) => grants.has(String(one)));
  }
  // Sent explicitly, a scope would be the most that the client could ever ask for.
  delete known["scope"];
  return withType(known, redirects as readonly string[]);
}

/** Adds the type that the redirect URIs of a client imply. */
export function withType(
  metadata: Readonly<Record<string, unknown>>,
  redirects: readonly string[],
): Readonly<Record<string, unknown>> {
  // A native client may use any port on loopback, and only a native client has a scheme of its own.
  // Cursor has one, and pages on https as well, and names no type.
  const isNative =
    redirects.length > 0 &&
    (redirects.every(isLocalRedirect) || redirects.some((uri) => !/^https?:/i.test(uri)));
  return isNative ? { ...metadata, application_type: "native" } : metadata;
}
