import type { AuthInfo } from "@tenon/protocol";

/**
 * Outside of the objects that handlers see, so that no log, error or `JSON.stringify` shows a
 * token.
 */
const tokens = new WeakMap<AuthInfo, string>();

/** Stores the token of a sender until `auth` is garbage collected. */
export function keepToken(auth: AuthInfo, token: string): void {
  tokens.set(auth, token);
}

/**
 * The access token of a request, for a token exchange. Never send it to another server: it was
 * issued for this one.
 *
 * @param auth - `ctx.auth` of the request.
 * @returns `undefined` unless the guard has `keepToken: true`.
 * @source R-727
 */
export function tokenOf(auth: AuthInfo | undefined): string | undefined {
  return auth === undefined ? undefined : tokens.get(auth);
}
