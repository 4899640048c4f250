/**
 * A broker for identity providers that know nothing of MCP: an authorization server whose users log
 * in with Google, GitHub, Entra ID and others. It runs on Node.
 *
 * @packageDocumentation
 */

export { createBroker, type Broker } from "./broker.ts";
export { BrokerError, brokerErrors, isBrokerError, type BrokerErrorCode } from "./error.ts";
export type { BrokerRoute, BrokerRouteContext } from "./http/exchange.ts";
export type { BrokerLimits, BrokerOptions, BrokerStores } from "./options.ts";
export type { ConsentPage } from "./pages/consent.ts";
export { development, type DevelopmentUpstream, type DevelopmentUser } from "./upstream/development.ts";
export type { Account } from "./upstream/profile.ts";
export {
  oauth2,
  oidc,
  type OAuth2Options,
  type OidcOptions,
  type ProfileShape,
  type Upstream,
  type UpstreamCredentials,
  type UserinfoRequest,
} from "./upstream/upstream.ts";
export {
  atlassian,
  auth0,
  clerk,
  discord,
  entra,
  github,
  gitlab,
  google,
  linear,
  notion,
  okta,
  slack,
  supabase,
  workos,
  type EntraOptions,
  type ProviderOptions,
  type TenantOptions,
} from "./upstream/providers.ts";
export { presets, type Preset, type PresetName } from "./upstream/presets.ts";
