import type { WireResponse } from "@tenon/http/client";

/**
 * Whether a response refuses a request because of its credentials. Other 403 responses are final.
 *
 * @source T-78
 */
export function refusesCredentials(response: WireResponse): boolean {
  const { status } = response;
  return status === 401 || (status === 403 && response.header("www-authenticate") !== undefined);
}

/**
 * Whether an error is about credentials: a provider that cannot authorize a request gives its error
 * the status of the refusal.
 */
export function isAboutCredentials(error: unknown): boolean {
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return status === 401 || status === 403;
}
