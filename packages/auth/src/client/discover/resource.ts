import type { Json } from "../requests.ts";
import { failure, quoted, strings, type Setting } from "../setting.ts";
import { canonicalResource } from "./url.ts";

/** The known facts about the protected resource. */
export interface ResourceInfo {
  /**
   * The value of the parameter `resource`, byte for byte as the document has it. `undefined`: it
   * is not sent.
   */
  readonly resource: string | undefined;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  /** The MCP server is expected to be its own authorization server, as in 2025-03-26. */
  readonly isLegacy: boolean;
}

const wellKnown = "/.well-known/oauth-protected-resource";
/** Maximum number of authorization servers that are considered. */
const maxIssuers = 8;

/**
 * The addresses of the document, in the order in which they are tried. @param named - The address
 * that a challenge named. @source R-734
 */
export function resourceDocuments(endpoint: URL, named: URL | undefined): readonly URL[] {
  const path = endpoint.pathname.replace(/\/$/, "");
  const probed = path === "" ? [""] : [path, ""];
  const urls = [
    ...(named === undefined ? [] : [named]),
    ...probed.map((end) => new URL(`${wellKnown}${end}`, endpoint)),
  ];
  return urls.filter((url, index) => urls.findIndex(({ href }) => href === url.href) === index);
}

/**
 * Checks the metadata of the protected resource.
 *
 * @param url - Where the document is.
 * @throws `AuthError` `RESOURCE_MISMATCH`, `INSECURE_URL` or `NO_AUTHORIZATION_SERVER`.
 * @source R-736
 */
export function readResourceDocument(setting: Setting, json: Json, url: URL): ResourceInfo {
  const { resource } = json;
  const { endpoint } = setting;
  const expected = [canonicalResource(endpoint)];
  if (url.origin === endpoint.origin && url.pathname.startsWith(wellKnown)) {
    expected.push(canonicalResource(new URL(url.pathname.slice(wellKnown.length) || "/", url)));
  }
  const named = typeof resource === "string" ? comparable(resource) : undefined;
  if (
    typeof resource !== "string" ||
    named === undefined ||
    !expected.some((value) => comparable(value)?.href === named.href) ||
    !isAncestor(named, endpoint)
  ) {
    throw failure(
      setting,
      "RESOURCE_MISMATCH",
      `The metadata of the protected resource must describe ${quoted(expected[0])}, but describes ${quoted(resource)}. The MCP server has to be corrected, or its URL is wrong.`,
    );
  }
  const servers = (strings(json["authorization_servers"]) ?? []).slice(0, maxIssuers);
  const issuers = usable(setting, servers);
  if (issuers.length === 0) {
    throw failure(
      setting,
      "NO_AUTHORIZATION_SERVER",
      "The metadata of the protected resource must name an authorization server, but names none.",
    );
  }
  return { resource, issuers, scopes: strings(json["scopes_supported"]), isLegacy: false };
}

/** The issuers that can be used. @throws `AuthError` `INSECURE_URL` if there are others only. */
function usable(setting: Setting, issuers: readonly string[]): readonly string[] {
  let first: Error | undefined;
  const found = issuers.filter((issuer) => {
    try {
      setting.rules.parse(issuer, "issuer");
      return true;
    } catch (error) {
      first ??= error as Error;
      return false;
    }
  });
  if (found.length === 0 && first !== undefined) {
    throw first;
  }
  return found;
}

/**
 * A resource with its scheme and host in lower case, without a default port and one terminating
 * slash.
 */
function comparable(resource: string): URL | undefined {
  if (!URL.canParse(resource) || /[#\\\s]/.test(resource)) {
    return undefined;
  }
  const url = new URL(resource);
  if (url.pathname !== "/") {
    url.pathname = url.pathname.replace(/\/$/, "");
  }
  return url;
}

/** Whether the endpoint is the resource itself, or below it by whole segments of the path. */
function isAncestor(resource: URL, endpoint: URL): boolean {
  const path = resource.pathname === "/" ? "" : resource.pathname;
  return (
    resource.origin === endpoint.origin &&
    resource.search === "" &&
    (endpoint.pathname === path || endpoint.pathname.startsWith(`${path}/`))
  );
}
