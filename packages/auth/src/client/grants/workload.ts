import { checkOptionNames, requireOptions } from "@tenon/base";

import { sha256 } from "../../shared/base64url.ts";
import type { AuthError } from "../../shared/error.ts";
import { publicClient, type ClientAuth } from "../register/client-auth.ts";
import type { Grant } from "./grant.ts";
import { askForTokens, issuedBy, tokenEndpointOf } from "./issue.ts";

/** The grant type of RFC 7523. */
export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The token request that an assertion is for. */
export interface AssertionTarget {
  /** The issuer of the authorization server. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** The MCP server, as `resource` names it. */
  readonly resource: string | undefined;
  readonly signal: AbortSignal;
}

/** Options of {@link workload}. */
export interface WorkloadOptions {
  /**
   * Returns the JWT with which the platform identifies this workload, such as the content of a
   * projected service account token. Called for every token request.
   */
  assertion(target: AssertionTarget): string | Promise<string>;
  /**
   * The identifier of the client, if the authorization server requires it. By default none is sent.
   */
  readonly clientId?: string | undefined;
}

const nameless: ClientAuth = { methods: ["none"], authenticate: () => {} };

/**
 * Obtains tokens by the identity of a workload: its platform vouches for it. An assertion that was
 * refused is not sent again. @throws `TypeError` for options that do not exist.
 */
export function workload(options: WorkloadOptions): Grant {
  checkOptionNames("workload", options, "assertion clientId");
  requireOptions("workload", options, { assertion: "function" });
  let refused: { readonly assertion: string; readonly error: AuthError } | undefined;
  return {
    isInteractive: false,
    async obtain(context) {
      const { setting, server, resource, signal } = context;
      const tokenEndpoint = tokenEndpointOf(setting, server);
      const target = { issuer: server.issuer, tokenEndpoint, resource: resource.resource, signal };
      const assertion = await options.assertion(target);
      const hash = await sha256(assertion);
      if (refused?.assertion === hash) {
        throw refused.error;
      }
      const { clientId } = options;
      const request = {
        client: {
          id: clientId ?? "workload",
          auth: clientId === undefined ? nameless : publicClient,
          source: "registered" as const,
        },
        grantType: jwtBearer,
        parameters: { assertion },
        proofKey: await context.keys.create(),
      };
      const outcome = await askForTokens(context, request);
      if (outcome.tokens === undefined && outcome.reason === "refused") {
        refused = { assertion: hash, error: outcome.error };
      }
      return issuedBy(context, request, outcome);
    },
  };
}
