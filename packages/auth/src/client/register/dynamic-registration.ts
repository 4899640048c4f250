import { isAuthError } from "../../shared/error.ts";
import type { ServerMetadata } from "../discover/metadata.ts";
import { temporary, type Json } from "../requests.ts";
import { failure, strings, type Setting } from "../setting.ts";
import type { RegistrationRecord } from "../tokens/records.ts";
import { readError } from "../tokens/token-response.ts";
import type { ClientMetadata } from "./client-registration.ts";
import { withoutPort } from "./redirect-uri.ts";

const maxBytes = 65_536;
const maxIdLength = 2048;
const maxSecretLength = 4096;
/** The grant type of RFC 8628. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const redirectRejected = "invalid_redirect_uri";

/**
 * Registers a client (RFC 7591).
 *
 * @param redirectUri - `undefined` for the device grant.
 * @throws `AuthError` `REGISTRATION_REJECTED` or `AUTH_TEMPORARY`.
 */
export async function registerClient(
  setting: Setting,
  server: ServerMetadata,
  redirectUri: string | undefined,
  metadata: ClientMetadata,
  signal: AbortSignal,
): Promise<RegistrationRecord> {
  const { issuer, registration_endpoint: endpoint = "" } = server;
  const url = setting.rules.parse(endpoint, "registration endpoint");
  const body = registrationBody(server, redirectUri, metadata);
  const answer = await setting.requests(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
    timeoutMs: setting.limits.tokenTimeoutMs,
    maxBytes,
    signal,
  });
  const oauth = readError(answer.json);
  if (
    answer.status !== undefined &&
    answer.status < 500 &&
    answer.status !== 429 &&
    (oauth !== undefined || answer.status >= 400)
  ) {
    throw failure(
      setting,
      "REGISTRATION_REJECTED",
      server.isLegacy && oauth === undefined
        ? "The MCP server has no metadata that names an authorization server. Serve protectedResource."
        : `The authorization server rejected the registration with ${oauth?.text ?? `status ${answer.status}`}. Register the client there, and pass its identifier in client.registered.`,
      { issuer, cause: oauth?.error === redirectRejected ? redirectRejected : undefined },
    );
  }
  if (answer.status === undefined || answer.json === undefined || answer.status >= 300) {
    throw temporary(setting, "registration", url, answer, issuer);
  }
  return readRegistration(setting, answer.json, body, issuer);
}

/**
 * Deletes a registration at the authorization server, if it has a management URL (RFC 7592). The
 * status of the response does not matter.
 */
export async function deleteRegistration(
  setting: Setting,
  { managementUri, managementToken }: RegistrationRecord,
  signal: AbortSignal,
): Promise<void> {
  if (managementUri !== undefined && managementToken !== undefined) {
    const url = setting.rules.parse(managementUri, "registration management URL");
    await setting.requests(url, {
      method: "DELETE",
      headers: { authorization: `Bearer ${managementToken}` },
      timeoutMs: setting.limits.discoveryTimeoutMs,
      maxBytes,
      signal,
    });
  }
}

/** @source R-746; R-758 */
function registrationBody(
  server: ServerMetadata,
  redirectUri: string | undefined,
  metadata: ClientMetadata,
): Json {
  const { name = "MCP client", uri, logoUri, softwareId, softwareVersion } = metadata;
  const methods = server.token_endpoint_auth_methods_supported;
  // Before client_secret_basic: servers that find the client by a parameter of the form need it,
  // and servers that read the header accept it.
  const method = ["none", "client_secret_post", "client_secret_basic"].find(
    (each) => methods?.includes(each) ?? true,
  );
  return {
    client_name: name,
    client_uri: uri,
    logo_uri: logoUri,
    software_id: softwareId,
    software_version: softwareVersion,
    application_type: redirectUri?.startsWith("https:") === true ? "web" : "native",
    ...(redirectUri === undefined
      ? { redirect_uris: [], grant_types: [deviceGrant, "refresh_token"], response_types: [] }
      : {
          redirect_uris: [...new Set([redirectUri, withoutPort(redirectUri)])],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
        }),
    token_endpoint_auth_method: method ?? "none",
  };
}

function readRegistration(setting: Setting, json: Json, asked: Json, issuer: string): RegistrationRecord {
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method } = json;
  const wanted = asked["redirect_uris"] as readonly string[];
  const redirectUris = strings(json["redirect_uris"]) ?? wanted;
  const isText = (value: unknown, maxLength: number): value is string =>
    typeof value === "string" && value.length <= maxLength && /^[\x20-\x7e]+$/.test(value);
  const isSecretValid = secret === undefined || isText(secret, maxSecretLength);
  if (
    !isText(clientId, maxIdLength) ||
    !isSecretValid ||
    !redirectUris.every((uri) => wanted.includes(uri))
  ) {
    throw failure(
      setting,
      "REGISTRATION_REJECTED",
      "The registration response must have a client identifier, a short secret or none, and no redirect URIs but the requested ones.",
      { issuer },
    );
  }
  const {
    client_secret_expires_at: expires,
    registration_client_uri: uri,
    registration_access_token: token,
  } = json;
  return {
    clientId,
    secret,
    method: typeof method === "string" ? method : (asked["token_endpoint_auth_method"] as string),
    secretExpiresAt: typeof expires === "number" && expires > 0 ? expires * 1000 : undefined,
    redirectUris: wanted,
    managementUri: isText(uri, maxIdLength) ? uri : undefined,
    managementToken: isText(token, maxSecretLength) ? token : undefined,
  };
}

/**
 * Whether a registration failed because the server accepts only another spelling of the loopback
 * host.
 */
export function isRedirectRejected(error: unknown): boolean {
  return isAuthError(error, "REGISTRATION_REJECTED") && error.cause === redirectRejected;
}
