/** The response that a {@link RedirectReceiver} is to receive. */
export interface ExpectedRedirect {
  /**
   * The `state` of the expected response. A response with another state is refused, and the wait
   * continues.
   */
  readonly state: string;
  /**
   * The redirect URI of an earlier registration. It is used again if possible, because some servers
   * accept no other port.
   */
  readonly redirectUri?: string | undefined;
  /**
   * The spelling of the loopback host, if the authorization server rejects the receiver's own
   * choice.
   */
  readonly host?: "127.0.0.1" | "localhost" | undefined;
}

/** An open {@link RedirectReceiver}. */
export interface OpenReceiver extends AsyncDisposable {
  /** The redirect URI, exactly as it is sent to the authorization server. */
  readonly redirectUri: string;
  /**
   * The parameters of the authorization response. Rejects if the receiver is closed or its time has
   * passed.
   */
  readonly response: Promise<URLSearchParams>;
}

/**
 * Receives the authorization response that a browser brings, such as `loopbackReceiver()` of
 * `@tenon/auth/node`.
 */
export interface RedirectReceiver {
  /**
   * Starts to listen, before the authorization URL is built. @param signal - Ends the wait;
   * `response` then rejects.
   */
  open(signal: AbortSignal, expected: ExpectedRedirect): Promise<OpenReceiver>;
}
