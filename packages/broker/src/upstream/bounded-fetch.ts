import type { FetchFunction } from "@tenon/auth/server";
import { isRecord, unlessAborted } from "@tenon/base";

import { BrokerError } from "../error.ts";

/** Maximum size of a response of a provider. */
const maxBytes = 262_144;

/**
 * A `fetch` for the responses of a provider: read within limits, and mended where providers differ
 * from the text of OAuth in ways that are known and harmless.
 */
export function boundedFetch(fetchFunction: FetchFunction, name: string): FetchFunction {
  const exchange: FetchFunction = async (url, init) => {
    const response = await fetchFunction(url, init);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) {
        throw new BrokerError("UPSTREAM_REJECTED", `A response of ${name} has more than ${maxBytes} bytes.`);
      }
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks, size).toString();
    const mended = mend(text, response.status);
    const headers = new Headers(response.headers);
    headers.delete("content-encoding");
    headers.delete("content-length");
    // The library would read this header of a failed response, and not the error in its body.
    headers.delete("www-authenticate");
    const hasBody = ![204, 205, 304].includes(response.status);
    return new Response(hasBody ? mended.text : null, { status: mended.status, headers });
  };
  // A `fetch` of the operator may ignore its signal. A refresh that hangs would hold its lock.
  return (url, init) => unlessAborted(exchange(url, init), init.signal ?? undefined);
}

/**
 * GitHub and Slack report errors with the status 200; others send `null`
 * for missing properties, no type for a bearer token, or, as Twitch, an array of scopes.
 */
function mend(text: string, status: number): { readonly text: string; readonly status: number } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { text, status };
  }
  if (!isRecord(body) || (status !== 200 && status !== 201)) {
    return { text, status };
  }
  const isFailure = typeof body["error"] === "string" && !("access_token" in body) && !("data" in body);
  if (isFailure) {
    return { text, status: 400 };
  }
  if (typeof body["access_token"] !== "string") {
    return { text, status };
  }
  const given = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== ""),
  );
  const { scope } = given;
  const scopes = Array.isArray(scope) ? { scope: scope.join(" ") } : {};
  return { text: JSON.stringify({ token_type: "bearer", ...given, ...scopes }), status: 200 };
}
