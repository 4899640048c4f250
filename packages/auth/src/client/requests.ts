import { anySignal, isRecord, unlessAborted, type Clock } from "@tenon/base";
import type { FetchLike } from "@tenon/http/client";
import {
  failureText,
  sendFailureOf,
  fetchWire,
  mediaType,
  platformWire,
  readText,
  retryAfter,
} from "@tenon/http/client";

import { AuthError, isAuthError } from "../shared/error.ts";
import { present } from "../shared/present.ts";
import type { UrlRules } from "./discover/url.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A response that was read to its end. */
export interface Answer {
  readonly status: number;
  /** Returns a header. @param name - In lower case. */
  header(name: string): string | undefined;
  /**
   * The body, if it is a JSON object of the type `application/json`. Properties that are `null`
   * or empty are removed.
   */
  readonly json: Json | undefined;
  readonly retryAfterMs: number | undefined;
  readonly delivered?: undefined;
  readonly cause?: undefined;
}

/** A request without a response. */
export interface Unanswered {
  readonly status: undefined;
  readonly json?: undefined;
  readonly retryAfterMs?: undefined;
  /** Whether the server may have received the request. */
  readonly delivered: "no" | "maybe";
  readonly cause: unknown;
}

/** One request. */
export interface Sending {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Whether `signal` cancels the request only before it is sent. Default: `false`. */
  readonly isKept?: boolean | undefined;
}

/**
 * Sends requests within limits of size, time and redirects. Rejects only if `signal` aborts or
 * the address is refused.
 */
export type Requests = (url: URL, sending: Sending) => Promise<Answer | Unanswered>;

/**
 * Maximum number of redirects of a GET, to the same origin only. Other requests are not
 * redirected.
 */
const maxRedirects = 2;
/**
 * Maximum time to wait before a request is repeated, in milliseconds. A longer `Retry-After` of
 * the server is cut to this time.
 */
const maxRetryAfterMs = 3_600_000;
/** Maximum nesting of a JSON document. */
const maxDepth = 16;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Creates {@link Requests}. @param fetch - Sends the requests. Default: the platform's. */
export function createRequests(rules: UrlRules, clock: Clock, fetch: FetchLike | undefined): Requests {
  const wire = fetch === undefined ? platformWire : fetchWire(fetch);

  async function exchange(url: URL, sending: Sending, signal: AbortSignal): Promise<Answer> {
    let target = url;
    for (let hops = 0; ; hops++) {
      const { method, headers, body, maxBytes } = sending;
      const response = await wire({ url: target, method, headers, body, signal });
      const { status } = response;
      const location = response.header("location");
      if (method === "GET" && redirects.has(status) && location !== undefined && hops < maxRedirects) {
        const next = URL.canParse(location, target.href) ? new URL(location, target) : undefined;
        if (next?.origin === url.origin) {
          response.discard();
          target = next;
          continue;
        }
      }
      const isJson = mediaType(response.header("content-type")) === "application/json";
      if (!isJson) {
        response.discard();
      }
      const delay = retryAfter(response.header("retry-after"));
      const json = isJson ? parseJson(await readText(response, maxBytes)) : undefined;
      return {
        status,
        header: (name) => response.header(name),
        json,
        retryAfterMs: delay && Math.min(delay, maxRetryAfterMs),
      };
    }
  }

  return async (url, sending) => {
    const { signal, timeoutMs } = sending;
    const own = new AbortController();
    const timer = clock.setTimeout(
      () => own.abort(new Error(`${url.host} did not respond within ${timeoutMs} ms.`)),
      timeoutMs,
      true,
    );
    const all = signal === undefined ? own.signal : anySignal([own.signal, signal]);
    try {
      await unlessAborted(rules.admit(url), all);
      const sent = sending.isKept ? own.signal : all;
      return await unlessAborted(exchange(url, sending, sent), sent);
    } catch (cause) {
      signal?.throwIfAborted();
      if (isAuthError(cause, "ADDRESS_REFUSED")) {
        throw new AuthError(cause.code, cause.message, { server: rules.server, cause });
      }
      const isUnsent = sendFailureOf(cause)?.connected === false;
      return { status: undefined, delivered: isUnsent ? "no" : "maybe", cause };
    } finally {
      clock.clearTimeout(timer);
      // Closes the connection of a body that was not read to its end.
      own.abort();
    }
  };
}

/**
 * Parses a JSON object. `undefined` for anything else, and beyond the depth: counted first,
 * because a parser may recurse.
 */
function parseJson(text: string): Json | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      isInString = !isInString;
    } else if (isInString) {
      at += character === "\\" ? 1 : 0;
    } else if (character === "{" || character === "[") {
      depth++;
      if (depth > maxDepth) {
        return undefined;
      }
    } else if (character === "}" || character === "]") {
      depth--;
    }
  }
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? present(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The error for a server that does not respond, or not in a way that says anything. */
export function temporary(
  { server }: { readonly server: string },
  what: string,
  url: URL,
  answer: Answer | Unanswered,
  issuer?: string,
): AuthError {
  const { retryAfterMs, cause } = answer;
  const came =
    answer.status === undefined
      ? `there was no response${cause === undefined ? "" : ` (${failureText(cause)})`}`
      : `status ${answer.status}${answer.json === undefined ? " without a JSON object" : ""} came`;
  return new AuthError(
    "AUTH_TEMPORARY",
    `The ${what} at ${url.host} was expected, but ${came}. Try again later; nothing was deleted.`,
    { server, issuer, retryAfterMs, cause },
  );
}
