import { isRecord } from "@tenon/base";
import { environmentFetch } from "@tenon/http/client";

import { VerifierUnavailable } from "./verify.ts";

/** Sends a request: the platform's `fetch`, or one of your own. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

const platformFetch: FetchFunction = (url, init) => environmentFetch(new URL(url), init);

/** One request for JSON. */
export interface JsonRequest {
  /** The name of the document, for errors. */
  readonly subject: string;
  readonly fetch: FetchFunction | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly init?: RequestInit | undefined;
}

/** A JSON object and the status it came with. */
export interface JsonAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Fetches a JSON object. Redirects are not followed.
 *
 * @throws {@link VerifierUnavailable} if there is no response in time, or one that is not a JSON
 *   object, is too long, or has a status of 500 and more.
 */
export async function fetchJson(url: string, request: JsonRequest): Promise<JsonAnswer> {
  const { subject, fetch = platformFetch, timeoutMs, maxBytes, init } = request;
  const { host } = new URL(url);
  const unavailable = (why: string, cause?: unknown): VerifierUnavailable =>
    new VerifierUnavailable(`The ${subject} of ${host} cannot be used: ${why}.`, { cause });
  let status: number;
  let text: string | undefined;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { redirect: "manual", ...init, signal });
    status = response.status;
    text = await readText(response, maxBytes);
  } catch (cause) {
    throw unavailable("there was no complete response", cause);
  }
  if (text === undefined) {
    throw unavailable(`the response is longer than ${maxBytes} bytes`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The text may hold what must not be in an error.
  }
  if (!isRecord(json) || status >= 500 || status < 200 || (status >= 300 && status < 400)) {
    throw unavailable(`status ${status}${isRecord(json) ? "" : " without a JSON object"} came`);
  }
  return { status, json };
}

/** The body of a response; `undefined` if it is too long. No more of it is held. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) {
      return text + decoder.decode();
    }
    size += value.length;
    if (size > maxBytes) {
      reader?.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
