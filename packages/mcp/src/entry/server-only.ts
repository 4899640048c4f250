/** Exports for servers only, and their types. */

export { canonicalUri } from "@tenon/uri-template/core";
export { urlElicitationRequired } from "../feature/elicitation/server/url-required.ts";
export { accepted } from "../feature/elicitation/server/accepted.ts";
export {
  inputRequired,
  isInputRequired,
  type InputRequired,
  type InputRequiredInit,
} from "../request/server/input-required.ts";
export type { Input, InputCallOptions, InputMethod, InputOptions } from "../request/input.ts";
export type { InteractionOptions } from "../feature/interaction/server/options.ts";
export type { StateKey, StateKeys } from "../request/server/interaction.ts";
export { createSuspension, isSuspension } from "../feature/interaction/server/errors.ts";
export type { CompletionHandler } from "../feature/completion/server.ts";
export {
  createLogger,
  type Logger,
  type LogMethod,
  type LogTarget,
} from "../feature/logging/server/logger.ts";
export type { LoggingOptions } from "../feature/logging/server.ts";
export {
  blobResource,
  textResource,
  type PartialContents,
  type PartialReadResult,
  type ResourceReturn,
} from "../feature/resources/server/contents.ts";
export type { ChangeFilter, ChangeOptions, ChangeReceiver } from "../request/server/change.ts";
export type { ServerChange } from "../feature/subscriptions/server/server-change.ts";
export type { SubscriptionHook } from "../feature/subscriptions/server.ts";
export { text } from "../feature/content-blocks.ts";
export { itemForRevision, resultForRevision } from "../feature/for-revision.ts";
export { resourceNotFound, unknownPrompt, unknownTool } from "../feature/not-found.ts";
export { getToolError } from "../feature/tools/server/tool-error.ts";
export { defineServerExtension, type ServerExtensionDefinition } from "../assemble/server/extension.ts";
export type { ServerExtension } from "../assemble/extension.ts";
export type {
  ExtensionRequest,
  ExtensionToolCall,
  FilterField,
  InputContext,
  ListedIn,
  ServerExtensionHost,
  CallHook,
  HookedCall,
  ToolOption,
} from "../request/server/extension.ts";
export { Server } from "../assemble/server.ts";
export { mountServer, type MountedChange, type MountedServer } from "../assemble/server/mount.ts";
export type { ServerOptions } from "../assemble/server/options.ts";
export type { ServerLimits } from "../request/server/limits.ts";
export type { ClientDescription, RequestContext } from "../request/server/context.ts";
export type { DeferredCall, DeferredFacts, DeferredRun } from "../request/server/deferred.ts";
export type { UnseenRequest } from "../session/server/unseen.ts";
export type { ServerOfSession, ServerSession } from "../request/server/session.ts";
export type { ChangedRequest, ServerRequest } from "../request/server/request.ts";
