export { findHeaderParameters, type HeaderParameter, type HeaderParameters } from "./header-parameters.ts";
export { McpErrorCode } from "./error-code.ts";
export type { Methods, Notifications } from "./gen/methods.ts";
export { memberTables, methodTables } from "./gen/tables.ts";
export type * from "./gen/types.ts";
export { changeNotifications, findMethod, isRepeatable } from "./find-method.ts";
export { headerSource } from "./header-source.ts";
export { MetaKey, metaOf, modernVersion } from "./meta.ts";
export type { MemberTable } from "./members.ts";
export {
  requestFacts,
  type AuthInfo,
  type HttpRequestInfo,
  type RequestFacts,
  type RequestHeaders,
} from "./request-facts.ts";
export type { MethodInfo, MethodTable } from "./method.ts";
export { eraOf, firstModern, isRevision, latest, latestLegacy, revisions } from "./revisions.ts";
export type { Era, Revision } from "./revisions.ts";
export type { Failure, Verdict } from "./verdict.ts";
export { assumedRevision, wireFacts } from "./wire.ts";
export type { WireFacts } from "./wire-facts.ts";
