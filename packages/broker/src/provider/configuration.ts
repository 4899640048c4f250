import type { FetchFunction } from "@tenon/auth/server";
import { errors, interactionPolicy, type OidcClient, type OidcContext } from "oidc-provider";

import type { SigningKey } from "../store/signing-keys.ts";
import type { Adapter } from "./adapter.ts";
import { isSafeRedirect } from "./redirect-uris.ts";
import { resourceOf } from "./resources.ts";

/** The settings of the library. */
export interface ProviderSettings {
  readonly resources: readonly string[];
  readonly scopes: readonly string[];
  readonly keys: readonly SigningKey[];
  readonly adapter: (model: string) => Adapter;
  /** Fetches what clients name: their metadata documents and keys. */
  readonly fetchDocument: FetchFunction;
  readonly renderError: (
    context: OidcContext,
    error: { readonly error: string; readonly error_description?: string },
  ) => void;
  readonly isKnownAccount: (account: string) => Promise<boolean>;
  /** Whether a grant may have another refresh token now. Each refresh token is stored. */
  readonly mayRefresh: (grant: string) => Promise<boolean>;
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  readonly loginTimeoutMs: number;
}

/** The paths of the protocol, under the issuer: those that clients of 2025-03-26 assume. */
export const protocolPaths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/jwks",
  pushed_authorization_request: "/par",
  device_authorization: "/device-authorization",
  code_verification: "/device",
} as const;

/** The scopes that are between a client and the broker. */
export const ownScopes: readonly string[] = ["openid", "offline_access"];

/** The configuration of the library. */
export function configurationOf(settings: ProviderSettings): object {
  const { resources, scopes, keys, adapter, fetchDocument } = settings;
  const [resource] = resources;
  return {
    adapter,
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    routes: protocolPaths,
    scopes: [...ownScopes, ...scopes],
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    clientDefaults: {
      grant_types: ["authorization_code", "refresh_token"],
      id_token_signed_response_alg: "ES256",
      response_types: ["code"],
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    pkce: { required: () => true },
    async rotateRefreshToken({ oidc }: OidcContext) {
      if (!(await settings.mayRefresh(oidc.entities.RefreshToken?.grantId ?? ""))) {
        throw new errors.TemporarilyUnavailable("too many refreshes of one login");
      }
      return true;
    },
    issueRefreshToken: (_: OidcContext, client: OidcClient) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: () => false,
    // Pages of other sites may use what is theirs: tokens of public clients that redirect to them.
    clientBasedCORS: (_: OidcContext, origin: string, client: OidcClient) =>
      client.redirectUris?.some((uri) => URL.canParse(uri) && new URL(uri).origin === origin) === true,
    fetch: (url: string | URL, init: RequestInit) => fetchDocument(String(url), init),
    fetchResponseBodyLimits: {
      "client_id metadata document": 16_384,
      jwks_uri: 65_536,
      sector_identifier_uri: 1,
    },
    findAccount: async (_: OidcContext, accountId: string) =>
      (await settings.isKnownAccount(accountId))
        ? { accountId, claims: () => ({ sub: accountId }) }
        : undefined,
    extraTokenClaims: (_: OidcContext, token: { readonly grantId?: string }) => ({ grant: token.grantId }),
    interactions: {
      policy: policy(),
      url: (context: OidcContext, { uid }: { readonly uid: string }) => `${baseOf(context)}/login?id=${uid}`,
    },
    renderError: settings.renderError,
    ttl: {
      Interaction: seconds(settings.loginTimeoutMs),
      Session: 60,
      Grant: seconds(settings.refreshTokenTtlMs),
      RefreshToken: seconds(settings.refreshTokenTtlMs),
      AccessToken: seconds(settings.accessTokenTtlMs),
      AuthorizationCode: 60,
      DeviceCode: 600,
      IdToken: seconds(settings.accessTokenTtlMs),
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_: OidcContext, client: OidcClient, token: { readonly clientId: string }) =>
          token.clientId === client.clientId,
      },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      dPoP: { enabled: true },
      // Its pages are the broker's own.
      deviceFlow: { enabled: true, deviceInfo: () => ({}) },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        cacheDuration: { min: 60, max: 3600 },
        // `fetchDocument` has the limits: for documents and for keys.
        allowFetch: () => true,
        allowClient: (_: OidcContext, client: OidcClient) =>
          (client.redirectUris ?? []).every(isSafeRedirect),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        // Tokens are JWTs for one server alone.
        getResourceServerInfo(_: OidcContext, asked: string) {
          const audience = resourceOf(resources, asked);
          if (audience === undefined) {
            throw new errors.InvalidTarget(`resource must be ${resources.join(" or ")}`);
          }
          return {
            audience,
            scope: scopes.join(" "),
            accessTokenFormat: "jwt",
            accessTokenTTL: seconds(settings.accessTokenTtlMs),
            jwt: { sign: { alg: "ES256" } },
          };
        },
      },
    },
  };
}

/** The user decides on a page of the broker each time. Earlier consents do not replace it. */
function policy(): object {
  const { Prompt, Check, base } = interactionPolicy;
  const prompts = base();
  prompts.clear();
  const asks = new Check(
    "always",
    "a person must agree",
    (context) => context.oidc.result?.consent === undefined,
  );
  prompts.add(new Prompt({ name: "consent", requestable: true }, asks));
  prompts.add(new Prompt({ name: "login", requestable: true }));
  prompts.add(new Prompt({ name: "select_account", requestable: true }));
  return prompts;
}

function baseOf(context: OidcContext): string {
  return (context as unknown as { readonly req: { readonly baseUrl: string } }).req.baseUrl;
}

function seconds(milliseconds: number): number {
  return Math.max(1, Math.floor(milliseconds / 1000));
}
