import { HttpError, type Delivered } from "../error.ts";
import { mediaType } from "../media-type.ts";
import { readExcerpt } from "./read-body.ts";
import type { WireResponse } from "./wire.ts";

/** Maximum length of the excerpt of a body in an error message. */
const maxExcerpt = 2000;

/**
 * Statuses with which a server, or a proxy in front of it, rejects a request before running it.
 */
const refusals: ReadonlySet<number> = new Set([401, 403, 404, 405, 406, 413, 415, 429]);

/**
 * Returns the error for a response with an error status or an unexpected status. The message
 * quotes the beginning of the body, with control characters escaped. Its code is `STATUS`, or
 * `UNEXPECTED_RESPONSE` for a status below 400.
 *
 * @param options - `delivered`: set it if the status belongs to another request. By default it
 *   follows from the status.
 */
export async function statusError(
  response: WireResponse,
  url: URL,
  options: { readonly delivered?: Delivered } = {},
): Promise<HttpError> {
  const { status } = response;
  const text = await readExcerpt(response, maxExcerpt);
  if (status < 400) {
    return unexpectedResponse(url, response, "no JSON-RPC response to the request", text);
  }
  return new HttpError("STATUS", `${shownUrl(url)} responded with HTTP status ${status}${quoted(text)}`, {
    status,
    delivered: options.delivered ?? (refusals.has(status) ? "no" : "maybe"),
    retryAfterMs: retryAfter(response.header("retry-after")),
  });
}

/**
 * Returns the error for a response that is not a response to the request.
 *
 * @param what - Describes the response.
 * @param text - The received part of the body, quoted in the message.
 */
export function unexpectedResponse(url: URL, response: WireResponse, what: string, text = ""): HttpError {
  const { status } = response;
  const type = mediaType(response.header("content-type"));
  const location = status >= 300 ? response.header("location") : undefined;
  const target =
    location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const details = [
    ...(type === undefined ? [] : [type]),
    ...(target === undefined ? [] : [`a redirect to ${placeOf(target)}`]),
  ];
  const described = details.length === 0 ? "" : ` (${details.join(", ")})`;
  const hint = target !== undefined || type === "text/html" ? " Is this the URL of an MCP endpoint?" : "";
  return new HttpError(
    "UNEXPECTED_RESPONSE",
    `${shownUrl(url)} responded with HTTP status ${status}${described} and ${what}${quoted(text) || "."}${hint}`,
    { status },
  );
}

/** Returns a URL without its credentials, query and fragment, which may hold secrets. */
export function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

/**
 * Segments of paths that may be secrets, such as keys and tokens: long, with digits and letters.
 */
const secretLike = /(?<=\/)(?=[^/]*\d)(?=[^/]*[A-Za-z])[^/]{16,}/g;

/**
 * The URL to show in an error: without its credentials, query and fragment, and without the parts
 * of its path that look like secrets.
 */
export function shownUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname === "/" ? "" : pathname.replace(secretLike, "…")}`;
}

function quoted(text: string): string {
  const excerpt = text
    .trim()
    .slice(0, maxExcerpt)
    .replace(/\p{Cc}+/gu, " ");
  return excerpt === "" ? "" : `: ${excerpt}`;
}

/** The delay that `Retry-After` asks for, in milliseconds (RFC 9110 §10.2.3). */
export function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
