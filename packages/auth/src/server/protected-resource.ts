import { checkOptionNames } from "@tenon/base";
import {
  hostName,
  hostPolicy,
  NodeExchange,
  WebExchange,
  type Exchange,
  type HeaderFields,
  type NodeRequest,
  type NodeResponse,
} from "@tenon/http/server";

import { checkScopes } from "./guard.ts";
import { checkedUrl, metadataUrlOf, wellKnown } from "./resource-url.ts";

/** Options of {@link protectedResource}. */
export interface ProtectedResourceOptions {
  /**
   * The URL of the endpoint, as clients know it: the `resource` of the guard. It is published
   * verbatim.
   */
  readonly resource: string;
  /** The issuers of the authorization servers whose tokens the guard accepts: at least one. */
  readonly authorizationServers: readonly string[];
  /**
   * The scopes that clients ask for at the first login: a minimum, not a catalog. By default
   * clients ask for the scopes of the challenge. @source R-732
   */
  readonly scopes?: readonly string[] | undefined;
  /** The name of the server for users. */
  readonly name?: string | undefined;
  /** A page for developers. */
  readonly documentation?: string | undefined;
  /** The DPoP support of the guard: pass the same `dpopProofs()`. */
  readonly dpop?: { readonly algorithms: readonly string[]; readonly isRequired: boolean } | undefined;
  /**
   * Whether the document is served for the root of the origin as well. Set it to `false` if the
   * origin has other resources. Default: `true`.
   */
  readonly rootAlias?: boolean | undefined;
  /**
   * The hosts that requests may name in `Host`: `allowedHosts` of the handler. Default: the host of
   * `resource`, and loopback.
   */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /**
   * The metadata of the authorization server, served at the origin for clients of 2025-03-26, which
   * look for it there.
   *
   * @source R-741
   */
  readonly legacyAuthorizationServer?: Readonly<Record<string, unknown>> | undefined;
}

/** The documents by which clients find the authorization server. */
export interface ProtectedResource {
  /** The paths of the documents. Mount them next to the endpoint. */
  readonly paths: readonly string[];
  /** The URL of the document: the default of `metadataUrl` of the guard. */
  readonly metadataUrl: string;
  /**
   * Serves a request for a document. `undefined` for another path:
   * `(request) => metadata.fetch(request) ?? handler.fetch(request)`.
   */
  readonly fetch: (request: Request) => Promise<Response> | undefined;
  /** The same for `honoHandler`. Another path gets 404. */
  serve(request: Request): Promise<Response>;
  /**
   * The same for `node:http`, `expressHandler` and `fastifyHandler`. Another path gets 404. Never
   * rejects.
   */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
}

const cors: HeaderFields = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": "*",
};

/**
 * Makes the protected resource metadata of a server: its well-known URL, with the path of the
 * endpoint and for the root.
 *
 * @example
 * const metadata = protectedResource({
 *   resource: "https://notes.example.com/mcp",
 *   authorizationServers: ["https://login.example.com"],
 * });
 * // ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]
 * metadata.paths;
 *
 * @throws `TypeError` for options that do not exist, and without an authorization server.
 * @source RFC 9728, R-723, R-724
 */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  check(options);
  const { resource, rootAlias = true, legacyAuthorizationServer: legacy } = options;
  const url = new URL(resource);
  const metadataUrl = metadataUrlOf(url);
  const document = JSON.stringify(documentOf(options));
  const documents = new Map([[new URL(metadataUrl).pathname, document]]);
  if (rootAlias) {
    documents.set(wellKnown, document);
  }
  if (legacy !== undefined) {
    documents.set("/.well-known/oauth-authorization-server", JSON.stringify(legacy));
  }
  const isOwnHost = hostPolicy(options.allowedHosts ?? [url.hostname, "localhost", "127.0.0.1", "[::1]"]);

  function answer(exchange: Exchange): void {
    const found = documents.get(pathOf(exchange.url));
    const { method } = exchange;
    if (found === undefined) {
      exchange.respond(404, cors);
    } else if (!isOwnHost(hostName(exchange.header("host")))) {
      const problem = "Forbidden: the Host is not among the allowedHosts of this server";
      exchange.respond(403, { "content-type": "text/plain" }, problem);
    } else if (method === "OPTIONS") {
      exchange.respond(204, { ...cors, "access-control-max-age": "7200" });
    } else if (method !== "GET" && method !== "HEAD") {
      exchange.respond(405, { ...cors, allow: "GET, HEAD, OPTIONS" });
    } else {
      const headers = { ...cors, "content-type": "application/json", "cache-control": "max-age=3600" };
      exchange.respond(200, headers, method === "HEAD" ? undefined : found);
    }
  }

  const serve = (request: Request): Promise<Response> => {
    const exchange = new WebExchange(request);
    answer(exchange);
    return exchange.response;
  };
  return {
    paths: [...documents.keys()],
    metadataUrl,
    serve,
    fetch: (request) => (documents.has(new URL(request.url).pathname) ? serve(request) : undefined),
    node(request, response) {
      answer(new NodeExchange(request, response));
      return Promise.resolve();
    },
  };
}

function documentOf(options: ProtectedResourceOptions): object {
  const { resource, authorizationServers, scopes, name, documentation, dpop } = options;
  return {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: name,
    resource_documentation: documentation,
    dpop_signing_alg_values_supported: dpop?.algorithms,
    dpop_bound_access_tokens_required: dpop?.isRequired,
  };
}

/** @throws `TypeError` */
function check(options: ProtectedResourceOptions): void {
  checkOptionNames("protectedResource", options, [
    "resource authorizationServers scopes name documentation dpop rootAlias allowedHosts",
    "legacyAuthorizationServer",
  ]);
  const { resource, authorizationServers, scopes = [], documentation } = options;
  checkedUrl(resource, "resource");
  if (!Array.isArray(authorizationServers) || authorizationServers.length === 0) {
    throw new TypeError('authorizationServers must name at least one issuer: ["https://login.example.com"].');
  }
  for (const issuer of authorizationServers) {
    checkedUrl(issuer, "An issuer in authorizationServers");
  }
  if (documentation !== undefined) {
    checkedUrl(documentation, "documentation");
  }
  checkScopes(scopes);
}

function pathOf(target: string): string {
  const url = target.startsWith("/") ? `http://localhost${target}` : target;
  return URL.canParse(url) ? new URL(url).pathname : "";
}
