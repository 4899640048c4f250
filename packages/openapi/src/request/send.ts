import { backoff, sleep, type ResolvedLimits } from "@tenon/base";
import { retryAfter, type FetchLike } from "@tenon/http/client";
import { ToolError } from "@tenon/mcp";

import type { OpenApiLimits } from "../limits.ts";
import { withoutSecrets } from "../redact.ts";

/** A request that is ready to be sent. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Uint8Array<ArrayBuffer> | undefined;
}

/** Options of {@link send}. */
export interface Sending {
  readonly fetch: FetchLike;
  readonly limits: ResolvedLimits<OpenApiLimits>;
  readonly signal: AbortSignal;
  /** The operation, for errors: `GET /pets/{id}`. */
  readonly where: string;
  /** Removed from errors: a redirect may repeat them. */
  readonly secrets: readonly string[];
}

/** Methods that may be sent twice: they have the same effect as once (RFC 9110 §9.2.2). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "QUERY"]);
const transient: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;

/**
 * Sends a request, follows redirects within the origin, and repeats a request that may be repeated.
 * Resolves with the response to the last attempt, whose body is not read yet.
 *
 * @throws `ToolError` for a redirect that is not followed; the error of `fetch`.
 */
export async function send(outgoing: Outgoing, sending: Sending): Promise<Response> {
  const { limits, signal } = sending;
  const mayRepeat = idempotent.has(outgoing.method);
  for (let failures = 0; ; failures++) {
    const isLast = !mayRepeat || failures >= limits.maxRetries;
    let delay = backoff(failures, limits);
    try {
      const response = await sendOnce(outgoing, sending);
      if (isLast || !transient.has(response.status)) {
        return response;
      }
      delay = retryAfter(response.headers.get("retry-after") ?? undefined) ?? delay;
      if (delay > limits.maxDelayMs) {
        return response;
      }
      discard(response);
    } catch (error) {
      if (isLast || signal.aborted || !(error instanceof TypeError || hasSystemCode(error))) {
        throw error;
      }
    }
    await sleep(delay, { signal, keepsAlive: true });
  }
}

/** Whether an error is of the connection. `fetch` rejects with `TypeError`, sockets with codes. */
function hasSystemCode(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" && /^(?:E[A-Z]{3,}|UND_ERR_\w+)$/.test(code);
}

async function sendOnce(outgoing: Outgoing, sending: Sending): Promise<Response> {
  const { fetch, signal } = sending;
  let current = outgoing;
  for (let count = 0; ; count++) {
    const { url, method, headers, content } = current;
    const response: unknown = await fetch(url, {
      method,
      headers: { ...headers },
      redirect: "manual",
      signal,
      ...(content === undefined ? {} : { body: content }),
    });
    if (!isResponse(response)) {
      throw new TypeError("The option fetch must return a Response.");
    }
    if (response.type === "opaqueredirect") {
      throw new ToolError("The API redirects, and this platform does not show where to.");
    }
    if (!redirects.has(response.status)) {
      return response;
    }
    current = redirected(current, response, count, sending);
    discard(response);
  }
}

/** Whether a value is a response of any implementation of `fetch`, such as `undici`. */
function isResponse(value: unknown): value is Response {
  const { status, headers, body } = (value ?? {}) as Partial<Response>;
  const isReadable = body === null || typeof body?.getReader === "function";
  return typeof status === "number" && typeof headers?.get === "function" && isReadable;
}

/** The request after a redirect. @throws `ToolError` for a redirect that is not followed. */
function redirected(
  outgoing: Outgoing,
  { status, headers }: Response,
  count: number,
  { where, secrets }: Pick<Sending, "where" | "secrets">,
): Outgoing {
  const location = headers.get("location");
  const target =
    location !== null && URL.canParse(location, outgoing.url.href)
      ? new URL(location, outgoing.url)
      : undefined;
  if (target === undefined || target.origin !== outgoing.url.origin) {
    const to =
      target === undefined
        ? "without a valid address"
        : `to another origin, ${withoutSecrets(target.origin, secrets)}`;
    throw new ToolError(
      `${where} was redirected (${status}) ${to}. Redirects are followed within the API only.`,
    );
  }
  if (count >= maxRedirects) {
    throw new ToolError(`${where} was redirected more than ${maxRedirects} times.`);
  }
  const { method } = outgoing;
  // A 302 leads to the result of a form. A 301 is a new place, such as one with a slash at its end,
  // where a GET would change nothing and look like a success.
  const becomesGet = status === 303 || (status === 302 && method === "POST");
  if (!becomesGet) {
    return { ...outgoing, url: target };
  }
  const { "content-type": _, ...rest } = outgoing.headers;
  return { url: target, method: method === "HEAD" ? "HEAD" : "GET", headers: rest, content: undefined };
}

/** Cancels the body of a response. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
