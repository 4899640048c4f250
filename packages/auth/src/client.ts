/**
 * OAuth for MCP clients: discovery, registration, login, refresh, step-up and logout.
 *
 * @packageDocumentation
 */

export { authorizationCode, type AuthorizationCodeOptions } from "./client/grants/authorization-code.ts";
export { checkClientDocument, type CheckDocumentOptions } from "./client/discover/check-document.ts";
export { clientCredentials } from "./client/grants/client-credentials.ts";
export {
  clientSecret,
  privateKeyJwt,
  publicClient,
  type ClientAuth,
  type ClientAuthRequest,
  type ClientSecretOptions,
  type PrivateKeyJwtOptions,
} from "./client/register/client-auth.ts";
export type {
  ClientDocument,
  ClientMetadata,
  ClientRegistration,
  RegisteredClient,
} from "./client/register/client-registration.ts";
export { deviceCode, type DeviceCodeOptions, type DevicePrompt } from "./client/grants/device-code.ts";
export { dpop, type DpopOptions } from "./client/proof/dpop.ts";
export {
  enterprise,
  type EnterpriseIdentityProvider,
  type EnterpriseOptions,
  type SubjectToken,
} from "./client/grants/enterprise.ts";
export { type AuthEvent, type AuthState, type AuthStatus } from "./client/events.ts";
export type { BegunLogin, Grant } from "./client/grants/grant.ts";
export { createOAuth } from "./client/oauth.ts";
export type { LogoutOptions, OAuthLoginOptions, OAuthOptions, OAuthProvider } from "./client/options.ts";
export type { ProofKey, ProofOfPossession, ProofRequest } from "./client/proof/proof.ts";
export type { ExpectedRedirect, OpenReceiver, RedirectReceiver } from "./client/login/receiver.ts";
export type { AuthClock, AuthLimits } from "./client/setting.ts";
export { browserStore, type BrowserStorage } from "./client/tokens/browser-store.ts";
export { memoryStore, type AuthStore, type PutOptions, type Stored } from "./client/tokens/store.ts";
export type { AddressGuard, SafeAuthorizationUrl } from "./client/discover/url.ts";
export { workload, type AssertionTarget, type WorkloadOptions } from "./client/grants/workload.ts";
export { parseChallenges, type Challenge } from "./shared/challenge.ts";
export {
  AuthError,
  authErrors,
  isAuthError,
  type AuthErrorCode,
  type AuthErrorOptions,
} from "./shared/error.ts";
export type { SigningKey } from "./shared/signing-key.ts";
