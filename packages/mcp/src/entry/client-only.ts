/** Exports for clients only, and their types. */

export { Client, type ClientConnectOptions } from "../assemble/client.ts";
export { defineClientExtension, type ClientExtensionDefinition } from "../assemble/client/extension.ts";
export type { ClientExtension } from "../assemble/extension.ts";
export type {
  ClientExtensionHost,
  HookedRequest,
  RequestHook,
  SendOptions,
} from "../request/client/extension.ts";
export type { HandshakeMessage } from "../session/client/handshake.ts";
export type { ClientOptions } from "../assemble/client/options.ts";
export type { ElicitationHandler, ElicitationHandlers } from "../feature/elicitation/client.ts";
export { requiredUrlElicitations, type RequiredPage } from "../feature/elicitation/client/required-urls.ts";
export type { ClientLimits } from "../request/client/limits.ts";
export type { RootsSource } from "../feature/roots/client.ts";
export type { SamplingHandler, SamplingOptions } from "../feature/sampling/client.ts";
export type { LogHandler } from "../feature/logging/client.ts";
export type {
  ChangeHandlers,
  ListChangedHandler,
  ResourceUpdatedHandler,
} from "../feature/subscriptions/client.ts";
export type { Change, ListenOptions, Subscription, ResourceWatch } from "../request/client/subscription.ts";
export { displayName, textOf, toolHints, type ToolHints } from "../feature/tools/client/display.ts";
export type {
  ToolNamed,
  ToolNames,
  TypedToolNames,
  TypedTools,
  JSONForm,
  CallToolParams,
} from "../request/client/tools.ts";
export type { ClientOfSession, ClientSession, Negotiated } from "../request/client/session.ts";
export type {
  InputCapabilities,
  InputRequiredHandler,
  ListOptions,
  RequestOptions,
} from "../request/client/options.ts";
export type { ChangedClientRequest, ClientRequest } from "../request/client/request.ts";
