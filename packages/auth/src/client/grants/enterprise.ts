import { checkOptionNames, requireOptions } from "@tenon/base";

import { canonicalResource } from "../discover/url.ts";
import { publicClient, type ClientAuth } from "../register/client-auth.ts";
import type { Json } from "../requests.ts";
import { failure, quoted } from "../setting.ts";
import type { IssuedTokens } from "../tokens/token-response.ts";
import type { Grant, GrantContext } from "./grant.ts";
import { askForTokens, issuedBy, tokenEndpointOf } from "./issue.ts";
import { jwtBearer } from "./workload.ts";

/** The identity provider of an enterprise, and the client's account there. */
export interface EnterpriseIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** The authentication of the client to the identity provider. Default: it is a public client. */
  readonly auth?: ClientAuth | undefined;
}

/** A token that identifies the user to the identity provider. */
export interface SubjectToken {
  readonly token: string;
  /** Default: `"id_token"`. */
  readonly type?: "id_token" | "saml2" | "refresh_token" | undefined;
}

/** Options of {@link enterprise}. */
export interface EnterpriseOptions {
  /** Acts for the user: show it to the user. */
  readonly idp: EnterpriseIdentityProvider;
  /** Returns the token of the user's sign-on. Called for every exchange; the host renews it. */
  subjectToken(): SubjectToken | string | Promise<SubjectToken | string>;
}

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const tokenTypes = "urn:ietf:params:oauth:token-type:";
const idJag = `${tokenTypes}id-jag`;
const profile = "urn:ietf:params:oauth:grant-profile:id-jag";

/**
 * Obtains tokens by the decision of an enterprise: its identity provider exchanges the user's
 * sign-on for an assertion, which the authorization server accepts. The user visits no page. Pass
 * the client of the authorization server in `client.registered`.
 *
 * @throws `TypeError` for options that do not exist.
 * @source R-764; R-765; R-766
 */
export function enterprise(options: EnterpriseOptions): Grant {
  checkOptionNames("enterprise", options, "idp subjectToken");
  requireOptions("enterprise", options, { idp: "object", subjectToken: "function" });
  requireOptions("enterprise: idp", options.idp, { issuer: "string", clientId: "string" });
  return {
    isInteractive: false,
    extension: "io.modelcontextprotocol/enterprise-managed-authorization",
    async obtain(context) {
      const { setting, registrar, server, keys } = context;
      if (server.authorization_grant_profiles_supported?.includes(profile) === false) {
        throw failure(
          setting,
          "METADATA_INVALID",
          "The authorization server does not declare support for assertions of identity providers.",
          {
            issuer: server.issuer,
          },
        );
      }
      const client = await registrar.preregistered(server.issuer, context.signal);
      const proofKey = await keys.create();
      for (let attempt = 1; ; attempt++) {
        const assertion = await exchange(context, options);
        const request = { client, grantType: jwtBearer, parameters: { assertion }, proofKey };
        const outcome = await askForTokens(context, request);
        // The assertion may have expired since, or was used already: a fresh one is tried once.
        const isStale = outcome.tokens === undefined && outcome.oauth?.error === "invalid_grant";
        if (!isStale || attempt === 2) {
          return issuedBy(context, request, outcome);
        }
      }
    },
  };
}

/** Exchanges the sign-on for an assertion. It is kept in memory only, and used once. */
async function exchange(context: GrantContext, { idp, ...options }: EnterpriseOptions): Promise<string> {
  const { setting, server, resource, scopes, signal } = context;
  const [{ discoverServer, discoveryBudget }, { requestTokens }] = await Promise.all([
    import("../discover/discovery.lazy.ts"),
    import("../upkeep.lazy.ts"),
  ]);
  const metadata = await discoverServer(setting, idp.issuer, false, discoveryBudget(setting, signal));
  const subject = await options.subjectToken();
  const { token, type = "id_token" } = typeof subject === "string" ? { token: subject } : subject;
  const outcome = await requestTokens(setting, {
    issuer: metadata.issuer,
    tokenEndpoint: tokenEndpointOf(setting, metadata),
    client: { id: idp.clientId, auth: idp.auth ?? publicClient, source: "registered" },
    methods: metadata.token_endpoint_auth_methods_supported,
    grantType: tokenExchange,
    parameters: {
      requested_token_type: idJag,
      audience: server.issuer,
      resource: resource.resource ?? canonicalResource(setting.endpoint),
      scope: scopes.join(" "),
      subject_token: token,
      subject_token_type: `${tokenTypes}${type}`,
    },
    asked: scopes,
    read: (json) => readAssertion(context, json, metadata.issuer),
    signal,
  });
  if (outcome.tokens === undefined) {
    throw outcome.error;
  }
  return outcome.tokens.accessToken;
}

function readAssertion({ setting }: GrantContext, json: Json, issuer: string): IssuedTokens {
  const { access_token: accessToken, issued_token_type: issuedType, token_type: type } = json;
  if (
    typeof accessToken !== "string" ||
    accessToken === "" ||
    issuedType !== idJag ||
    typeof type !== "string" ||
    type.toLowerCase() !== "n_a"
  ) {
    throw failure(
      setting,
      "TOKEN_INVALID",
      `The identity provider must issue an ID-JAG of the token type N_A, but issued ${quoted(issuedType, 80)} of the token type ${quoted(type, 40)}.`,
      { issuer },
    );
  }
  return { accessToken, isBound: false, refreshToken: undefined, lifeMs: undefined, scopes: [] };
}
