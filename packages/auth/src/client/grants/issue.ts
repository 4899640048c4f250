import type { ServerMetadata } from "../discover/metadata.ts";
import type { ProofKey } from "../proof/proof.ts";
import { failure, type Setting } from "../setting.ts";
import type { ClientIdentity, TokenOutcome } from "../tokens/token-request.ts";
import type { GrantContext, IssuedGrant } from "./grant.ts";

/** One token request of a grant without a browser. */
export interface IssueRequest {
  readonly client: ClientIdentity;
  readonly grantType: string;
  /** Parameters other than `resource` and `scope`. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly proofKey: ProofKey | undefined;
}

/** Returns the token endpoint. @throws `AuthError` `METADATA_INVALID` or `INSECURE_URL`. */
export function tokenEndpointOf(
  setting: Setting,
  { issuer, token_endpoint: endpoint }: ServerMetadata,
): string {
  if (endpoint === undefined) {
    throw failure(
      setting,
      "METADATA_INVALID",
      "The metadata of the authorization server must name a token endpoint.",
      { issuer },
    );
  }
  setting.rules.parse(endpoint, "token endpoint");
  return endpoint;
}

/** Sends a token request with `resource` and `scope`. */
export async function askForTokens(context: GrantContext, request: IssueRequest): Promise<TokenOutcome> {
  const { setting, server, resource, scopes, keys, signal } = context;
  const { client, grantType, parameters, proofKey } = request;
  const { requestTokens } = await import("../upkeep.lazy.ts");
  return requestTokens(setting, {
    issuer: server.issuer,
    tokenEndpoint: tokenEndpointOf(setting, server),
    client,
    methods: server.token_endpoint_auth_methods_supported,
    grantType,
    parameters: {
      ...parameters,
      resource: resource.resource,
      scope: scopes.join(" "),
    },
    asked: scopes,
    proofKey,
    allowBearer: keys.allowBearer,
    signal,
  });
}

/** Returns what a successful outcome is worth. @throws The `AuthError` of another outcome. */
export function issuedBy(
  { setting, server, resource, scopes }: GrantContext,
  { client, proofKey }: Pick<IssueRequest, "client" | "proofKey">,
  outcome: TokenOutcome,
): IssuedGrant {
  if (outcome.tokens === undefined) {
    throw outcome.error;
  }
  return {
    tokens: outcome.tokens,
    issuer: server.issuer,
    tokenEndpoint: tokenEndpointOf(setting, server),
    revocationEndpoint: server.revocation_endpoint,
    methods: server.token_endpoint_auth_methods_supported,
    client,
    resource: resource.resource,
    asked: scopes,
    proofKey,
  };
}
