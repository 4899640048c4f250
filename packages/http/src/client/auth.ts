/** What an {@link AuthProvider} may know about a request. */
export interface AuthRequest {
  readonly url: URL;
  readonly method: string;
  readonly signal: AbortSignal;
}

/** What a server said about a request that it refused for want of authorization. */
export interface AuthChallenge extends AuthRequest {
  /** 401 or 403. */
  readonly status: number;
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined;
}

/** Says who sends a request. @source S-242 */
export interface AuthProvider {
  /**
   * The headers to add; asked for every request, so that tokens may be renewed and requests signed. `undefined` adds nothing; an exception fails this one
   * request.
   *
   * @source S-243
   */
  headers(request: AuthRequest): HeadersLike | undefined | Promise<HeadersLike | undefined>;
  /**
   * Asked when a request was refused with 401, or 403 with a challenge. `true`: send it again, once, with new headers. Default: the refusal is the outcome.
   */
  refused?(challenge: AuthChallenge): boolean | Promise<boolean>;
}

/** Header fields by name. */
export type HeadersLike = Readonly<Record<string, string>>;

/** Adds nothing. @source S-245 */
export const noAuth: AuthProvider = { headers: () => undefined };

/** Adds `Authorization: Bearer` and the token. @param token - Without the word `Bearer`. @source S-244 */
export function staticToken(token: string): AuthProvider {
  const fields = { authorization: `Bearer ${token}` };
  return { headers: () => fields };
}
