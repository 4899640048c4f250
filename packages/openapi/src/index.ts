/**
 * APIs described by OpenAPI as tools and resources of MCP servers.
 *
 * @packageDocumentation
 */

export type {
  BasicCredential,
  Credential,
  CredentialRequest,
  Credentials,
  CredentialValue,
} from "./credentials/credentials.ts";
export type { DocumentSource } from "./document/load.ts";
export { isOpenApiError, OpenApiError, openApiErrors, type OpenApiErrorCode } from "./error.ts";
export type { OpenApiLimits } from "./limits.ts";
export { openapi, type OfferedOperation, type OpenApiSource } from "./openapi.ts";
export type { Skipped } from "./operation/collect.ts";
export type { Offer, OpenApiOptions, OperationInfo, Paging } from "./options.ts";
export { nextArgumentsKey } from "./source/call.ts";
