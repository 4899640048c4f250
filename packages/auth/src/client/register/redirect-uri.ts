import { isLocalAddress } from "../discover/address.ts";

/**
 * Redirect URIs of one class can be changed for one another without another registration of the
 * application.
 */
export function redirectClass(redirectUri: string | undefined): string {
  return redirectUri === undefined ? "device" : isLoopback(redirectUri) ? "loopback" : redirectUri;
}

/** Whether a redirect URI leads to this machine. */
export function isLoopback(redirectUri: string): boolean {
  return URL.canParse(redirectUri) && isLocalAddress(new URL(redirectUri).hostname);
}

/** A loopback redirect URI without its port, which RFC 8252 lets clients choose. */
export function withoutPort(redirectUri: string): string {
  return isLoopback(redirectUri) ? redirectUri.replace(/:\d+(?=\/|$)/, "") : redirectUri;
}
