/** Exports for clients and servers, and their types. */

export {
  isMcpError,
  isResourceNotFound,
  isToolError,
  McpError,
  mcpErrors,
  ToolError,
  type McpErrorCodeName,
} from "../base/error.ts";
export { McpErrorCode } from "@tenon/protocol";
export { deferredChannel, handshakeChannel, requestChannel, sessionChannel } from "../base/diagnostics.ts";
export type { ElicitOutcome, FormParams, FormSchema, FormSource, UrlParams } from "../request/elicit.ts";
export type { CacheOptions } from "../feature/cache/client/cache.ts";
export type { CacheableMethod, CacheHints, ServerCacheHints } from "../feature/cache/define.ts";
export type { DeclaredCapabilities, ListCapability } from "../request/capabilities.ts";
export type { Completer, Completers, Completion } from "../feature/completion/define.ts";
export { LogLevel } from "../feature/logging/level.ts";
export type {
  PromptArgumentName,
  PromptArguments,
  PromptDefinition,
  PromptHandler,
  PromptReturn,
} from "../feature/prompts/define.ts";
export type {
  ResourceDefinition,
  ResourceHandler,
  ResourceRequest,
  ResourceLister,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
} from "../feature/resources/define.ts";
export { defineTool, defineTools } from "../feature/tools/define.ts";
export type {
  DefinedTool,
  PlainSchema,
  PlainValue,
  Structured,
  ToolArguments,
  ToolCallArguments,
  ToolDefinition,
  ToolHandler,
  ToolReturn,
  ToolOutput,
  ToolReference,
  ToolSchema,
  Unstructured,
} from "../request/tool.ts";
export { findHeaderParameters, type HeaderParameter, type HeaderParameters } from "@tenon/protocol";
export type { StructuredLogger } from "../base/structured-logger.ts";
export { tolerated, usuallyTolerated, type Departure, type Strictness } from "../base/strictness.ts";
export type { KeepAliveOptions } from "../session/keep-alive.ts";
export type {
  Next,
  ReceivingMiddleware,
  SendingCall,
  SendingMiddleware,
  SendingNext,
} from "../request/middleware.ts";
export {
  defineMethod,
  defineNotification,
  type ItemOf,
  type MethodDefinition,
  type NotificationDefinition,
  type Received,
  type Sent,
} from "../request/extension.ts";
export type {
  ContextExtensionProperties,
  InputExtensionOptions,
  RequestExtensionOptions,
  SessionExtensionProperties,
  ToolExtensionOptions,
} from "../request/open.ts";
export type { ExtensionHeader } from "../feature/extensions/define.ts";
export type { ExtensionSettings } from "../feature/extensions/registry.ts";
export {
  receivingMethod,
  sendingMethod,
  type AnswerOf,
  type MethodCall,
  type MethodRequest,
  type ParamsOf,
} from "../request/for-method.ts";
