/** One request of a client. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** The answer to a {@link WireRequest}, its body still to be read. */
export interface WireResponse {
  readonly status: number;
  /** A header of the answer, `undefined` if it is not there. @param name - In lower case. */
  header(name: string): string | undefined;
  /** The body, read once. Breaking out of the iteration gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads the body away, or gives the connection up if it is long. */
  discard(): void;
}

/** Sends one request; resolves when the headers of the answer are in. Redirects are not followed. */
export type Wire = (request: WireRequest) => Promise<WireResponse>;

/** How a request failed before any byte of its answer came. */
export interface SendFailure {
  /** The connection had carried an exchange before and was gone when this request was sent: the server may not have seen it. */
  readonly reused: boolean;
  /** There was a connection. Without one nothing of the request has left. */
  readonly connected: boolean;
}

const failures = new WeakMap<object, SendFailure>();

/** Notes how a request failed. */
export function noteFailure(error: unknown, failure: SendFailure): void {
  if (typeof error === "object" && error !== null) {
    failures.set(error, failure);
  }
}

/** How a request failed, if the platform can tell. */
export function failureOf(error: unknown): SendFailure | undefined {
  return typeof error === "object" && error !== null ? failures.get(error) : undefined;
}
