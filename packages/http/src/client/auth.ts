import { kindOf } from "@tenon/base";

/**
 * A request that needs credentials. A request that is redirected or resent is described again
 * each time, with the URL to which it goes next.
 */
export interface AuthRequest {
  readonly url: URL;
  readonly method: string;
  readonly signal: AbortSignal;
}

/** The status and the headers of a response. */
export interface AuthObservation {
  /** The URL that responded. */
  readonly url: URL;
  /** The method of the request. */
  readonly method: string;
  /**
   * The object that `headers` had returned for the request. A provider can recognize by it which
   * credentials were accepted or refused.
   */
  readonly sent: HeadersLike | undefined;
  readonly status: number;
  /**
   * Returns a header of the response, or `undefined` if it is absent.
   *
   * @param name - In lower case.
   */
  header(name: string): string | undefined;
}

/** A response that refuses a request because of its credentials. */
export interface AuthChallenge extends AuthRequest, AuthObservation {
  /** 401 or 403. */
  readonly status: number;
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined;
  /** How many times the request has been refused: 1, 2, and so on. */
  readonly attempt: number;
  /** Identifies the request: the same object each time that it is refused. */
  readonly operation: object;
}

/** Options of {@link AuthProvider.login}. */
export interface LoginOptions {
  /** Ends the login. */
  readonly signal?: AbortSignal | undefined;
}

/** Provides credentials for requests. Only `headers` is required. @source S-242 */
export interface AuthProvider {
  /**
   * Returns the headers to add. Called every time a request is sent, including after a redirect
   * and when it is resent after a connection was lost, so that tokens may be renewed and each
   * request signed. `undefined` adds nothing. An exception fails this request only.
   *
   * @source S-243
   */
  headers(request: AuthRequest): HeadersLike | undefined | Promise<HeadersLike | undefined>;
  /**
   * Called when a request was refused with 401, or with 403 and a challenge. Return `true` to
   * send the request again with new headers. A request is sent again at most three times; the
   * fourth refusal is still reported here, and is final. Without this method every refusal is
   * final.
   */
  refused?(challenge: AuthChallenge): boolean | Promise<boolean>;
  /**
   * Called with every response, refusals and redirects included, before `refused`. An exception
   * fails the request.
   */
  observed?(response: AuthObservation): void;
  /**
   * Registers a listener that is called when requests that were refused may succeed now, such as
   * after a login. Streams and hosts that wait for authorization then try again. Returns a
   * function that removes the listener.
   */
  changed?(listener: () => void): () => void;
  /**
   * Registers a listener that is called with `true` when requests wait for a user who logs in,
   * and with `false` when they no longer do. Timeouts of requests pause between the two calls.
   * Returns a function that removes the listener.
   */
  waiting?(listener: (isWaiting: boolean) => void): () => void;
  /**
   * Has the user authorize this client. Resolves when requests can be sent with the new
   * credentials.
   */
  login?(options?: LoginOptions): Promise<void>;
  /**
   * The extension of the protocol by which credentials are obtained, if it is one: clients
   * declare it.
   *
   * @source R-710
   */
  readonly extension?: string | undefined;
  /**
   * Identifies the account and the grant that the credentials belong to. It is not secret, and it
   * changes when another account logs in, but not when a token is renewed. Clients cache private
   * results by it.
   */
  readonly authorizationContext?: string | undefined;
}

/** Header fields by name. */
export type HeadersLike = Readonly<Record<string, string>>;

/** Adds nothing. @source S-245 */
export const noAuth: AuthProvider = { headers: () => undefined };

/**
 * Adds `Authorization: Bearer` and the token.
 *
 * @param token - Without the word `Bearer`.
 * @throws `TypeError` for a token that is empty or not a string, such as the value of an
 *   environment variable that is not set, and for one with a space or a character outside ASCII.
 * @source S-244
 */
export function staticToken(token: string): AuthProvider {
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    // The token itself stays out of the message.
    const got = typeof token === "string" ? `${token.length} characters` : kindOf(token);
    throw new TypeError(`staticToken needs a token of ASCII characters without spaces; got ${got}.`);
  }
  const fields = { authorization: `Bearer ${token}` };
  return { headers: () => fields };
}
