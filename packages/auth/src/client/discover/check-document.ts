import { systemClock } from "@tenon/base";
import type { FetchLike } from "@tenon/http/client";

import { AuthError } from "../../shared/error.ts";
import { createRequests, temporary } from "../requests.ts";
import { strings } from "../setting.ts";
import { urlRules, type AddressGuard } from "./url.ts";

/** Options of {@link checkClientDocument}. */
export interface CheckDocumentOptions {
  /**
   * The redirect URIs that the client uses. They must be in the document; a loopback URI may be
   * there without its port.
   */
  readonly redirectUris?: readonly string[] | undefined;
  /** Requests the document. Default: the platform's HTTP client. */
  readonly fetch?: FetchLike | undefined;
  /** Decides which addresses may be connected to. By default private addresses are refused. */
  readonly guard?: AddressGuard | undefined;
  /** Ends the check. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum size of a document, in bytes: authorization servers read no more. */
const maxBytes = 5120;
const timeoutMs = 5000;

/**
 * Checks a Client ID Metadata Document as authorization servers do. Call it in the tests of a
 * deployment.
 *
 * @param url - Where the document is published.
 * @returns What has to be corrected; empty if the document is valid.
 * @throws `AuthError` `INSECURE_URL`, `ADDRESS_REFUSED` or `AUTH_TEMPORARY`.
 * @source R-744
 */
export async function checkClientDocument(
  url: string,
  options: CheckDocumentOptions = {},
): Promise<readonly string[]> {
  // The document is judged as by a public server, to which no address of this network is open.
  const rules = urlRules(new URL("https://public.invalid"), options.guard);
  const parsed = rules.parse(url, "address of the client document");
  if (parsed.pathname === "/") {
    throw new AuthError("INSECURE_URL", "The address of the client document must have a path.");
  }
  const requests = createRequests(rules, systemClock, options.fetch);
  const answer = await requests(parsed, {
    method: "GET",
    headers: { accept: "application/json" },
    timeoutMs,
    maxBytes,
    signal: options.signal ?? new AbortController().signal,
  });
  if (answer.status === undefined || answer.status >= 500) {
    throw temporary({ server: "" }, "client document", parsed, answer);
  }
  if (answer.status !== 200 || answer.json === undefined) {
    return [`The document must be served with status 200 as application/json; status ${answer.status} came.`];
  }
  const { client_id: clientId, client_name: name, redirect_uris: uris, client_secret: secret } = answer.json;
  const listed = strings(uris) ?? [];
  const missing = (options.redirectUris ?? []).filter(
    (uri) => !listed.includes(uri) && !listed.includes(uri.replace(/^(http:\/\/[^/]*):\d+(?=\/|$)/, "$1")),
  );
  return [
    ...(clientId === url ? [] : ["client_id must be the URL of the document, character by character."]),
    ...(typeof name === "string" && name !== "" ? [] : ["client_name must be a string that is not empty."]),
    ...(listed.length > 0 ? [] : ["redirect_uris must list the redirect URIs."]),
    ...missing.map((uri) => `redirect_uris must list ${uri}.`),
    ...(secret === undefined ? [] : ["client_secret must be absent, because the document is public."]),
  ];
}
