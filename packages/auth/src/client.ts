/**
 * OAuth for MCP clients: discovery, registration, login, refresh, step-up and logout.
 *
 * @packageDocumentation
 */

export { authorizationCode, type AuthorizationCodeOptions } from "./client/authorization-code.ts";
export { checkClientDocument, type CheckDocumentOptions } from "./client/check-document.ts";
export { clientCredentials } from "./client/client-credentials.ts";
export {
  clientSecret,
  privateKeyJwt,
  publicClient,
  type ClientAuth,
  type ClientAuthRequest,
  type ClientSecretOptions,
  type PrivateKeyJwtOptions,
} from "./client/client-auth.ts";
export type {
  ClientDocument,
  ClientMetadata,
  ClientRegistration,
  RegisteredClient,
} from "./client/client-registration.ts";
export { deviceCode, type DeviceCodeOptions, type DevicePrompt } from "./client/device-code.ts";
export { dpop, type DpopOptions } from "./client/dpop.ts";
export {
  enterprise,
  type EnterpriseIdentityProvider,
  type EnterpriseOptions,
  type SubjectToken,
} from "./client/enterprise.ts";
export { type AuthEvent, type AuthState, type AuthStatus } from "./client/events.ts";
export type { BegunLogin, Grant } from "./client/grant.ts";
export { createOAuth } from "./client/oauth.ts";
export type { LogoutOptions, OAuthLoginOptions, OAuthOptions, OAuthProvider } from "./client/options.ts";
export type { ProofKey, ProofOfPossession, ProofRequest } from "./client/proof.ts";
export type { ExpectedRedirect, OpenReceiver, RedirectReceiver } from "./client/receiver.ts";
export type { AuthClock, AuthLimits } from "./client/setting.ts";
export { memoryStore, type AuthStore, type PutOptions, type Stored } from "./client/store.ts";
export type { AddressGuard, SafeAuthorizationUrl } from "./client/url.ts";
export { workload, type AssertionTarget, type WorkloadOptions } from "./client/workload.ts";
export { parseChallenges, type Challenge } from "./shared/challenge.ts";
export {
  AuthError,
  authErrors,
  isAuthError,
  type AuthErrorCode,
  type AuthErrorOptions,
} from "./shared/error.ts";
export type { SigningKey } from "./shared/signing-key.ts";
