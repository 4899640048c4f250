/** Whether a server accepts the credentials of the requests to it. */
export interface Authorization {
  /** Sends requests, and observes their credentials. */
  readonly fetch: typeof fetch;
  /** Whether the server has accepted credentials, and then refused a request with 401. */
  readonly hasEnded: boolean;
}

/** Observes the credentials of requests that `inner` sends. */
export function observedAuthorization(inner: typeof fetch): Authorization {
  let wasAccepted = false;
  let hasEnded = false;
  return {
    get hasEnded() {
      return hasEnded;
    },
    async fetch(input, init) {
      const response = await inner(input, init);
      if (response.ok && isAuthorized(input, init)) {
        wasAccepted = true;
        hasEnded = false;
      } else if (response.status === 401) {
        // A server that wants more of the person has not ended the login (RFC 9470).
        const wantsMore = /\binsufficient_/.test(response.headers.get("www-authenticate") ?? "");
        hasEnded = wasAccepted && !wantsMore;
      }
      return response;
    },
  };
}

function isAuthorized(input: RequestInfo | URL, init: RequestInit | undefined): boolean {
  const headers = init?.headers ?? (input instanceof Request ? input.headers : undefined);
  return new Headers(headers).has("authorization");
}
