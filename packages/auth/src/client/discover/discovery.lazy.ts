import { assumedRevision } from "@tenon/protocol";

import type { AuthError } from "../../shared/error.ts";
import { isAuthError } from "../../shared/error.ts";
import { temporary, type Answer, type Json, type Unanswered } from "../requests.ts";
import { failure, warn, type Setting } from "../setting.ts";
import { assumedMetadata, readServerMetadata, type ServerMetadata } from "./metadata.ts";
import { readResourceDocument, resourceDocuments, type ResourceInfo } from "./resource.ts";
import { canonicalResource } from "./url.ts";

/** Bounds of one discovery. */
interface Budget {
  requests: number;
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

/** Maximum number of requests, and time in milliseconds, of one discovery. */
const maxRequests = 12;
const totalMs = 20_000;
/**
 * Maximum size of the metadata of authorization servers; all other documents have a quarter of it.
 */
const maxBytes = 262_144;

/** Requested by 2025-03-26, whose authorization server is the MCP server itself. @source R-741 */
const legacyHeader = { "mcp-protocol-version": assumedRevision };

/** Starts a discovery. */
export function discoveryBudget({ clock }: Setting, signal: AbortSignal): Budget {
  return { requests: maxRequests, endsAt: clock.now() + totalMs, signal };
}

/** The outcome of looking for a document at several addresses. */
interface Search<T> {
  readonly found?: T;
  /** The reason why no document could be used; absent if every address certainly has none. */
  readonly error?: AuthError;
}

/** Statuses of the 4xx class after which the document may exist. */
const uncertain: ReadonlySet<number> = new Set([401, 407, 408, 425, 429]);

function isAbsent({ status = 0 }: Answer | Unanswered): boolean {
  return status >= 400 && status < 500 && !uncertain.has(status);
}

/**
 * Looks for a document. An address that does not respond is tried twice, then the next one. A
 * document that is refused does not end the search.
 */
async function search<T>(
  setting: Setting,
  urls: readonly URL[],
  what: string,
  budget: Budget,
  limit: number,
  read: (json: Json, url: URL) => T,
): Promise<Search<T>> {
  let refused: AuthError | undefined;
  let failed: AuthError | undefined;
  for (const url of urls) {
    for (let attempt = 0; attempt < 2; attempt++) {
      const timeoutMs = Math.min(setting.limits.discoveryTimeoutMs, budget.endsAt - setting.clock.now());
      if (budget.requests-- <= 0 || timeoutMs <= 0) {
        return {
          error:
            refused ??
            failed ??
            failure(setting, "LIMIT", "The discovery took too many requests or too long."),
        };
      }
      const answer = await setting.requests(url, {
        method: "GET",
        headers: {
          accept: "application/json",
          ...(url.origin === setting.endpoint.origin ? legacyHeader : {}),
        },
        timeoutMs,
        maxBytes: limit,
        signal: budget.signal,
      });
      if (answer.status === 200 && answer.json !== undefined) {
        try {
          return { found: read(answer.json, url) };
        } catch (error) {
          if (!isAuthError(error)) {
            throw error;
          }
          refused ??= error;
          break;
        }
      }
      if (isAbsent(answer)) {
        break;
      }
      failed = temporary(setting, what, url, answer);
    }
  }
  const error = refused ?? failed;
  return error === undefined ? {} : { error };
}

/** Options that concern discovery. */
export interface DiscoveryOptions {
  /** The issuer to use, whatever the MCP server names. */
  readonly issuer: string | undefined;
  readonly resource: string | undefined;
  readonly legacyFallback: boolean;
}

/**
 * Finds the metadata of the protected resource, or what replaces them.
 *
 * @param named - The address that a challenge named.
 * @source R-733; R-734
 */
export async function discoverResource(
  setting: Setting,
  options: DiscoveryOptions,
  named: string | undefined,
  budget: Budget,
): Promise<ResourceInfo> {
  const { endpoint } = setting;
  const url =
    named === undefined ? undefined : setting.rules.parse(named, "address of the resource metadata");
  const { found, error } = await search(
    setting,
    resourceDocuments(endpoint, url),
    "metadata of the protected resource",
    budget,
    maxBytes / 4,
    (json, at) => readResourceDocument(setting, json, at),
  );
  if (error !== undefined) {
    throw error;
  }
  const info = found ?? withoutDocument(setting, options);
  const { issuer = info.issuers[0], resource } = options;
  if (issuer !== undefined && !info.issuers.includes(issuer)) {
    warn(setting, "The MCP server does not name the configured issuer. The configured issuer is used.");
  }
  if (resource === "omit" && info.resource !== undefined) {
    warn(setting, "The parameter resource is omitted, as configured: tokens may be valid for other servers.");
  }
  return {
    ...info,
    issuers: options.issuer === undefined ? info.issuers : [options.issuer],
    resource: resource === "omit" ? undefined : (resource ?? info.resource),
  };
}

function withoutDocument(setting: Setting, options: DiscoveryOptions): ResourceInfo {
  const { endpoint } = setting;
  if (options.issuer !== undefined) {
    return {
      resource: canonicalResource(endpoint),
      issuers: [options.issuer],
      scopes: undefined,
      isLegacy: false,
    };
  }
  if (options.legacyFallback) {
    return { resource: undefined, issuers: [endpoint.origin], scopes: undefined, isLegacy: true };
  }
  throw failure(
    setting,
    "NO_AUTHORIZATION_SERVER",
    "The MCP server requires authorization but has no metadata that names an authorization server. Configure its issuer with the option issuer.",
  );
}

/**
 * The addresses of the metadata of an issuer, in the order in which they are tried. @source R-737
 */
function serverDocuments(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const [oauth, openid] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
  const paths = path === "" ? [oauth, openid] : [`${oauth}${path}`, `${openid}${path}`, `${path}${openid}`];
  return paths.map((each) => new URL(each, issuer));
}

/**
 * Finds the metadata of an authorization server.
 *
 * @throws `AuthError`: `ISSUER_MISMATCH`, `METADATA_INVALID`, `INSECURE_URL`, `AUTH_TEMPORARY` or
 *   `NO_AUTHORIZATION_SERVER`.
 * @source R-737
 */
export async function discoverServer(
  setting: Setting,
  issuer: string,
  isLegacy: boolean,
  budget: Budget,
): Promise<ServerMetadata> {
  const { found, error } = await search(
    setting,
    serverDocuments(setting.rules.parse(issuer, "issuer")),
    "metadata of the authorization server",
    budget,
    maxBytes,
    (json) => readServerMetadata(setting, json, issuer),
  );
  if (found !== undefined) {
    return isLegacy ? { ...found, isLegacy } : found;
  }
  if (error === undefined && isLegacy) {
    return assumedMetadata(issuer);
  }
  throw (
    error ??
    failure(
      setting,
      "NO_AUTHORIZATION_SERVER",
      "The authorization server that the MCP server names has no metadata at any of the well-known addresses.",
      { issuer },
    )
  );
}
