import {
  authorizationCode,
  clientCredentials,
  clientSecret,
  createOAuth,
  dpop,
  enterprise,
  privateKeyJwt,
  workload,
  type ClientAuth,
  type OAuthOptions,
  type OAuthProvider,
} from "@tenon/auth/client";

import { agreeingUser } from "./login.ts";
import type { Run } from "./scenarios.ts";

type Texts = Readonly<Record<string, string>>;

/** What the scenarios need beyond the options of every user. */
const special: Readonly<Record<string, (context: Texts) => Partial<OAuthOptions>>> = {
  "auth/pre-registration": ({ issuer = "", client_id: clientId = "", client_secret: secret = "" }) => ({
    client: { registered: [{ issuer, clientId, auth: clientSecret(secret) }] },
  }),
  "auth/client-credentials-basic": ({ client_id: clientId = "", client_secret: secret = "" }) => ({
    grant: clientCredentials(),
    client: known(clientId, clientSecret(secret)),
  }),
  "auth/client-credentials-jwt": ({ client_id: clientId = "", private_key_pem: key = "" }) => ({
    grant: clientCredentials(),
    client: known(clientId, privateKeyJwt({ key })),
  }),
  "auth/enterprise-managed-authorization": (context) => ({
    grant: enterprise({
      idp: { issuer: context["idp_issuer"] ?? "", clientId: context["idp_client_id"] ?? "" },
      subjectToken: () => context["idp_id_token"] ?? "",
    }),
    client: known(context["client_id"] ?? "", clientSecret(context["client_secret"] ?? "")),
  }),
  "auth/wif-jwt-bearer": ({ client_id: clientId, valid_jwt: assertion = "" }) => ({
    grant: workload({ assertion: () => assertion, clientId }),
  }),
  "auth/dpop": () => ({ proof: dpop() }),
  "auth/dpop-nonce": () => ({ proof: dpop() }),
};

/**
 * The authorization of one run, with the defaults of users except where the scenario is about an
 * option.
 */
export function authorize({ name, url, context }: Run): OAuthProvider {
  return createOAuth({
    server: url,
    grant: authorizationCode(agreeingUser()),
    client: { document: { url: "https://conformance-test.local/client-metadata.json" } },
    // The user of the suite is there during a request.
    interactive: true,
    ...special[name]?.(context as Texts),
  });
}

/** A client that is known to whichever authorization server the scenario has. */
function known(clientId: string, auth: ClientAuth): OAuthOptions["client"] {
  return { metadata: false, requestClient: (issuer) => ({ issuer, clientId, auth }) };
}
