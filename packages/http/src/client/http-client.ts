import { HttpError, isHttpError, type Delivered } from "../error.ts";
import type { AuthProvider, AuthRequest, HeadersLike } from "./auth.ts";
import { readExcerpt, withText } from "./read-body.ts";
import { placeOf, shownUrl } from "./refusal.ts";
import { abortSignalOf, type RequestSignal } from "./request-signal.ts";
import {
  failureText,
  sendFailureOf,
  type SendFailure,
  type Wire,
  type WireRequest,
  type WireResponse,
} from "./wire.ts";

/** Options of {@link createHttpClient}. */
export interface HttpClientOptions {
  /** Sends the requests. */
  readonly wire: Wire;
  /** Added to every request. Headers of the request itself or of `auth` replace them. */
  readonly headers?: HeadersLike | undefined;
  /** Provides credentials. Called for every request. By default requests are unauthenticated. */
  readonly auth?: AuthProvider | undefined;
}

/** One request of an {@link HttpClient}. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: HeadersLike;
  readonly body?: string | undefined;
  readonly signal: RequestSignal;
  /**
   * It may do harm if the server gets it twice, so it is not sent again when a reused connection
   * turns out to be closed. Default `false`.
   */
  readonly once?: boolean | undefined;
}

/**
 * Sends a request. Resolves when the headers of the response have arrived, with any status.
 *
 * @throws `HttpError`, or `signal.reason`.
 */
export type HttpClient = (request: HttpRequest) => Promise<WireResponse>;

/**
 * A reset that crossed with the request comes within a round trip; later the server may well have
 * begun to work on it.
 */
const crossingMs = 1000;
/**
 * Maximum number of attempts for one request: a request whose connection was reset may have run.
 *
 * @source RFC 9110 §9.2.2
 */
const maxTries = 2;
/** Maximum number of redirects of one request. Each of them costs a round trip. */
const maxRedirects = 3;

const unknownFailure: SendFailure = { reused: false, connected: true };

/** The first attempt to send a request. */
interface FirstAttempt {
  readonly started: number;
  /** The provider's headers. */
  readonly sent: HeadersLike | undefined;
  readonly response: Promise<WireResponse>;
}

/**
 * Sends requests with authorization. Redirects are followed only to the same origin, so that
 * credentials are never sent elsewhere. A request on a reused connection that turns out to be
 * closed is sent once more.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { wire, auth } = options;
  const common = options.headers && lowerCased(options.headers);

  /**
   * Sends a request to one URL. Each try asks for headers of its own, because a proof of
   * possession is valid once.
   */
  async function send(
    request: HttpRequest,
    url: URL,
    own: HeadersLike,
    first: FirstAttempt | undefined,
  ): Promise<Exchange> {
    const { method, body, signal } = request;
    const tries = request.once === true ? 1 : maxTries;
    let started = first?.started;
    for (let attempt = 1; ; attempt++) {
      const begun = attempt === 1 ? first : undefined;
      const sent = begun === undefined ? auth && (await auth.headers(new Asked(request, url))) : begun.sent;
      const headers = sent === undefined ? own : merged(own, sent);
      started ??= performance.now();
      try {
        const response = await (begun?.response ?? wire({ url, method, headers, body, signal }));
        return { url, sent, response };
      } catch (error) {
        signal.throwIfAborted();
        const { reused, connected } = sendFailureOf(error) ?? unknownFailure;
        if (!reused || attempt === tries || performance.now() - started > crossingMs) {
          // Even if this attempt did not reach the server, the earlier attempts may have.
          throw networkError(url, error, connected || attempt > 1 ? "maybe" : "no");
        }
      }
      // A server that closes one connection usually closes the others too; the client notices
      // that a moment later.
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
    }
  }

  async function follow(request: HttpRequest, own: HeadersLike, first?: FirstAttempt): Promise<Exchange> {
    let { url } = request;
    for (let hops = 0; ; hops++) {
      const exchange = await send(request, url, own, hops === 0 ? first : undefined);
      const { response } = exchange;
      observe(auth, request.method, exchange);
      const target = redirectTarget(response, url);
      if (target === undefined) {
        return exchange;
      }
      response.discard();
      if (target.origin !== request.url.origin || hops >= maxRedirects) {
        const why =
          hops >= maxRedirects ? `redirects more than ${maxRedirects} times` : "redirects to another origin";
        throw new HttpError("REDIRECT", `${placeOf(request.url)} ${why}: ${placeOf(target)}.`, {
          status: response.status,
          delivered: "no",
        });
      }
      url = target;
    }
  }

  /** The first attempt usually succeeds. Then no promise is needed for retries and redirects. */
  function sendFirst(
    request: HttpRequest,
    own: HeadersLike,
    sent: HeadersLike | undefined,
  ): Promise<WireResponse> {
    const { url, method, body, signal } = request;
    const headers = sent === undefined ? own : merged(own, sent);
    const first = {
      started: performance.now(),
      sent,
      response: sendOnce({ url, method, headers, body, signal }),
    };
    const goOn = (): Promise<WireResponse> => sendUntilAccepted(request, own, first);
    return first.response.then((response) => {
      if (redirectTarget(response, url) !== undefined || (auth !== undefined && isRefusal(response))) {
        return goOn();
      }
      observe(auth, method, { url, sent, response });
      return response;
    }, goOn);
  }

  function sendOnce(request: WireRequest): Promise<WireResponse> {
    try {
      return wire(request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async function sendUntilAccepted(
    request: HttpRequest,
    own: HeadersLike,
    first: FirstAttempt,
  ): Promise<WireResponse> {
    for (let attempt = 1; ; attempt++) {
      const exchange = await follow(request, own, attempt === 1 ? first : undefined);
      if (auth?.refused === undefined || !isRefusal(exchange.response)) {
        return exchange.response;
      }
      const final = await finalRefusal(auth, request, exchange, attempt);
      if (final !== undefined) {
        return final;
      }
    }
  }

  return (request) => {
    const own = common === undefined ? request.headers : { ...common, ...request.headers };
    try {
      const sent = auth?.headers(new Asked(request, request.url));
      return isLater(sent)
        ? Promise.resolve(sent).then((found) => sendFirst(request, own, found))
        : sendFirst(request, own, sent);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/**
 * A request as its provider sees it. Few providers need the signal, which takes as long to create
 * as all headers.
 */
class Asked implements AuthRequest {
  readonly url: URL;
  readonly method: string;
  readonly #signal: RequestSignal;

  constructor({ method, signal }: HttpRequest, url: URL) {
    this.url = url;
    this.method = method;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return abortSignalOf(this.#signal);
  }
}

/** Whether a provider has yet to find its headers. */
function isLater<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === "function";
}

/** A request to one URL, and the response to it. */
interface Exchange {
  readonly url: URL;
  /** The provider's headers. */
  readonly sent: HeadersLike | undefined;
  readonly response: WireResponse;
}

/**
 * A request is repeated this many times because of its credentials: they may be old, then lack a
 * nonce, and then a scope.
 */
const maxRepetitions = 3;

/** Maximum size of the body of a refusal that is kept. */
const maxRefusalBytes = 65_536;

/** Whether a response refuses a request because of its credentials. */
function isRefusal(response: WireResponse): boolean {
  const { status } = response;
  return status === 401 || (status === 403 && response.header("www-authenticate") !== undefined);
}

/**
 * Reports a refusal. Returns it if it is final, and `undefined` if the request is to be repeated.
 * The body is read during a login, because the login of a user takes minutes, and the connection
 * would stay open for that time.
 */
async function finalRefusal(
  auth: AuthProvider,
  request: HttpRequest,
  { url, sent, response }: Exchange,
  attempt: number,
): Promise<WireResponse | undefined> {
  const { method } = request;
  const { status } = response;
  const text = readExcerpt(response, maxRefusalBytes);
  try {
    const isRepeated = await auth.refused?.({
      url,
      method,
      signal: abortSignalOf(request.signal),
      status,
      challenge: response.header("www-authenticate"),
      sent,
      attempt,
      operation: request,
      header: (name) => response.header(name),
    });
    if (isRepeated !== true || attempt > maxRepetitions) {
      return withText(response, await text);
    }
  } catch (error) {
    response.discard();
    throw error;
  }
  response.discard();
  return undefined;
}

function observe(auth: AuthProvider | undefined, method: string, { url, sent, response }: Exchange): void {
  try {
    auth?.observed?.({
      url,
      method,
      sent,
      status: response.status,
      header: (name) => response.header(name),
    });
  } catch (error) {
    response.discard();
    throw error;
  }
}

/**
 * Lowercases all names, so that a later field replaces an earlier field. If both were sent,
 * servers would disagree on which one applies.
 */
function lowerCased(fields: HeadersLike = {}): HeadersLike {
  return Object.keys(fields).every((name) => name === name.toLowerCase())
    ? fields
    : Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Returns both sets of fields, the later ones with names in lower case. Copying them one by one
 * takes a fraction of the time of a spread, after which engines add properties slowly.
 */
function merged(own: HeadersLike, sent: HeadersLike): HeadersLike {
  const all: Record<string, string> = {};
  for (const name of Object.keys(own)) {
    all[name] = own[name] as string;
  }
  for (const name of Object.keys(sent)) {
    all[name.toLowerCase()] = sent[name] as string;
  }
  return all;
}

/**
 * The target of a 307 or 308 redirect. Other redirects of a POST do not lead to the endpoint,
 * because they drop the method and the body.
 */
function redirectTarget(response: WireResponse, base: URL): URL | undefined {
  if (response.status !== 307 && response.status !== 308) {
    return undefined;
  }
  const location = response.header("location");
  return location === undefined || !URL.canParse(location, base.href) ? undefined : new URL(location, base);
}

function networkError(url: URL, cause: unknown, delivered: Delivered): HttpError {
  if (isHttpError(cause)) {
    return cause;
  }
  return new HttpError("NETWORK", `The request to ${shownUrl(url)} failed: ${failureText(cause)}`, {
    cause,
    delivered,
  });
}
