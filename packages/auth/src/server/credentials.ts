import type { RequestDescription } from "@tenon/http/server";

/** The credentials in a request. */
export interface Credentials {
  readonly scheme: "Bearer" | "DPoP";
  readonly token: string;
}

/** `token68` of RFC 9110 §11.2, which access tokens are limited to (RFC 6750 §2.1). */
const form = /^(bearer|dpop) +([\w\-.~+/]+=*) *$/i;

/**
 * Reads the credentials of a request.
 *
 * @returns `undefined` for a request without credentials; for malformed credentials, a sentence
 *   that describes the mistake.
 * @source RFC 6750 §2, R-721, R-722
 */
export function readCredentials(
  { url, headers }: RequestDescription,
  maxTokenLength: number,
): Credentials | string | undefined {
  const query = url.indexOf("?");
  if (query >= 0 && new URLSearchParams(url.slice(query + 1)).has("access_token")) {
    return "The access token must be in the Authorization header, not in the query";
  }
  const header = headers.get("authorization");
  if (header === undefined) {
    return undefined;
  }
  if ((headers.count?.("authorization") ?? 1) > 1) {
    return "A request must have one Authorization header";
  }
  if (header.length > maxTokenLength + 10) {
    return `The access token is longer than ${maxTokenLength} characters`;
  }
  const [, scheme, token] = form.exec(header) ?? [];
  return scheme === undefined || token === undefined
    ? "The Authorization header must have the form: Bearer <access token>"
    : { scheme: scheme.length === 4 ? "DPoP" : "Bearer", token };
}
