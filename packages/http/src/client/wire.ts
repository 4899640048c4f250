import type { RequestSignal } from "./request-signal.ts";

/** One request of a client. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: RequestSignal;
}

/** The response to a {@link WireRequest} whose body is not read yet. */
export interface WireResponse {
  readonly status: number;
  /** Returns a header of the response, or `undefined`. @param name - In lower case. */
  header(name: string): string | undefined;
  /** Returns all headers, if the platform has them. Names are in lower case. */
  fields?(): Readonly<Record<string, string | string[] | undefined>>;
  /** The body, read once. Breaking out of the iteration gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Returns the whole body if it has arrived already, often with the headers. Otherwise
   * `undefined`, and the body is still to be read.
   */
  take?(): readonly Uint8Array[] | undefined;
  /** Reads the body away, or gives the connection up if it is long. */
  discard(): void;
}

/**
 * Sends one request. Resolves when the headers of the response have arrived. Redirects are not
 * followed.
 */
export type Wire = (request: WireRequest) => Promise<WireResponse>;

/** A failure of a request before the first byte of its response. */
export interface SendFailure {
  /**
   * The connection had carried another request before and was closed when this request was sent:
   * the server may not have received it.
   */
  readonly reused: boolean;
  /** There was a connection. Without one nothing of the request has left. */
  readonly connected: boolean;
  /** A description for people. It replaces the message of the error. */
  readonly text?: string | undefined;
}

const failures = new WeakMap<object, SendFailure>();

/** Notes how a request failed. */
export function noteFailure(error: unknown, failure: SendFailure): void {
  if (typeof error === "object" && error !== null) {
    failures.set(error, failure);
  }
}

/** Describes the failure of a request for people. */
export function failureText(error: unknown): string {
  return sendFailureOf(error)?.text ?? (error instanceof Error ? error.message : String(error));
}

/** The kind of the failure, if the platform reports it. */
export function sendFailureOf(error: unknown): SendFailure | undefined {
  return typeof error === "object" && error !== null ? failures.get(error) : undefined;
}
