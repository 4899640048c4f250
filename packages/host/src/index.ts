/**
 * Many servers of the Model Context Protocol as one, for agents and IDEs. Runs in browsers too;
 * `@tenon/host/node` makes transports from configuration.
 *
 * @packageDocumentation
 */

export type { AuthProvider, AuthRequest } from "./auth.ts";
export {
  ResourceCache,
  type EntryOptions,
  type ResourceCacheLimits,
  type ResourceCacheOptions,
} from "./cache/resource-cache.ts";
export { costOf, type ToolCost, type ToolCosts } from "./cost.ts";
export {
  HostError,
  hostErrors,
  isHostError,
  type HostDelivered,
  type HostErrorCode,
  type HostErrorInit,
  type Phase,
} from "./error.ts";
export type { HostEvents, HostListener, ListKind } from "./events.ts";
export { CallRelay, type CallRelayOptions } from "./lanes/call-relay.ts";
export type { LaneCaller } from "./lanes/caller.ts";
export { askForTask, taskMethods } from "./lanes/follow-task.ts";
export type { ForwardOptions } from "./lanes/forward-options.ts";
export { HeldTasks } from "./lanes/held-tasks.ts";
export type { LaneSetup } from "./lanes/lane-setup.ts";
export type { Lane } from "./lanes/lane.ts";
export type { LaneLease } from "./lanes/lane-leases.ts";
export { Lanes } from "./lanes/lanes.ts";
export type { LanesOptions } from "./lanes/lanes-options.ts";
export type { LaneLimits } from "./lanes/limits.ts";
export type { OpenCall } from "./lanes/open-call.ts";
export { callerError, isRefusal, isUnreachable } from "./lanes/refusals.ts";
export { takesTasks, tasksExtension, type TaskAnswer } from "./lanes/tasks.ts";
export type { ManagerLimits } from "./limits.ts";
export type { Fetched } from "./list/cached-list.ts";
export type { ListItems } from "./list/list-kinds.ts";
export { fetchServerList, type ServerListOptions } from "./list/list-of.ts";
export type { FetchedList } from "./list/sieve.ts";
export type { HostHandlers, HostRequest } from "./manager/handlers.ts";
export type { HostCallOptions, HostRequestOptions } from "./manager/call-tool.ts";
export type { ConnectAllOptions } from "./manager/connect-all.ts";
export { Manager } from "./manager/manager.ts";
export type {
  ConnectReport,
  ManagerOptions,
  NamedPrompt,
  NamedResource,
  NamedResourceTemplate,
  NamedTool,
  TransportEvents,
  TransportFactory,
} from "./manager/options.ts";
export { NameTable, type ToolAddress } from "./names/name-table.ts";
export { hashTool, type Pins } from "./policy/pins.ts";
export type { Approval, ApprovalRequest, Policy, PolicyLimits, RateLimit } from "./policy/policy.ts";
export { truncatedKey, truncateResult } from "./policy/truncate.ts";
export type { ReconnectOptions } from "./server/crash-budget.ts";
export type { BreakerOptions, BreakerState } from "./server/breaker.ts";
export type { ServerSnapshot, ServerState, Snapshot } from "./snapshot.ts";
export type { CommonSpec, CustomSpec, RemoteSpec, ServerSpec, StdioSpec } from "./spec.ts";
export {
  bridgeAll,
  bridgeTool,
  type BridgeOptions,
  type BridgeReport,
  type EngineTool,
  type ToolCaller,
  type ToolRegistry,
} from "./bridge/bridge.ts";
export { toEngineResult, type EngineContent, type EngineResult } from "./bridge/content.ts";
export { toAiSdkOutput, toAiSdkTool, type AiSdkOutput, type AiSdkTool } from "./convert/ai-sdk.ts";
export type { ConversionOptions, VendorChange } from "./convert/change.ts";
export {
  fromAnthropicArguments,
  toAnthropicTool,
  toAnthropicToolResult,
  type AnthropicTool,
  type AnthropicToolResult,
} from "./convert/anthropic.ts";
export {
  fromGeminiArguments,
  toGeminiFunction,
  toGeminiParts,
  type GeminiFunction,
  type GeminiPart,
} from "./convert/gemini.ts";
export {
  toOpenAiChatMessages,
  toOpenAiChatTool,
  toOpenAiResponsesOutput,
  toOpenAiResponsesTool,
  type OpenAiChatMessage,
  type OpenAiChatTool,
  type OpenAiResponsesOutput,
  type OpenAiResponsesTool,
  type OpenAiToolOptions,
} from "./convert/openai.ts";
export { geminiSchema } from "./convert/schema/gemini.ts";
export { fromStrictArguments } from "./convert/schema/from-strict.ts";
export { inlineRefs } from "./convert/schema/inline-refs.ts";
export type { Schema } from "./convert/schema/keywords.ts";
export { strictSchema } from "./convert/schema/strict.ts";
