/**
 * Authorization for MCP servers: a guard for access tokens, the metadata by which clients find the
 * authorization server, and scopes for each operation. Runs on every runtime, without `jose`.
 *
 * @packageDocumentation
 */

export type { ClientCredentials } from "./server/client-secret.ts";
export { dpopProofs, type DpopProofLimits, type DpopProofOptions } from "./server/dpop.ts";
export type { FetchFunction } from "./server/fetch-json.ts";
export type { GuardLimits, ResourceGuardOptions } from "./server/guard-options.ts";
export { createGuard, type ResourceGuard } from "./server/guard.ts";
export { InsufficientScope } from "./server/insufficient-scope.ts";
export {
  introspection,
  type IntrospectionLimits,
  type IntrospectionOptions,
} from "./server/introspection.ts";
export { tokenOf } from "./server/kept-token.ts";
export type { BoundToken, ProofCheck, ProofProblem } from "./server/proof-check.ts";
export {
  protectedResource,
  type ProtectedResource,
  type ProtectedResourceOptions,
} from "./server/protected-resource.ts";
export type { ProofAlgorithm } from "./server/public-key.ts";
export { memoryReplayStore } from "./server/replay.ts";
export type { ReplayStore } from "@tenon/stores";
export {
  scopePolicy,
  type PolicedRequest,
  type ScopePolicy,
  type ScopePolicyOptions,
  type PolicySender,
} from "./server/scope-policy.ts";
export type { ScopeRule } from "./server/scope-rules.ts";
export {
  clientTokens,
  tokenExchange,
  type ExchangedToken,
  type ExchangeTarget,
  type ExchangeToken,
  type TokenExchangeLimits,
  type RequestClientToken,
  type TokenExchangeOptions,
} from "./server/token-exchange.ts";
export {
  isVerifierUnavailable,
  VerifierUnavailable,
  type RejectedToken,
  type VerifiedToken,
  type Verify,
} from "./server/verify.ts";
export { formatChallenge, parseChallenges, type Challenge } from "./shared/challenge.ts";
