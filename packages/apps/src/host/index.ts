/**
 * Views in a host: loaded from a server, shown in a sandbox, and connected by a bridge.
 *
 * @packageDocumentation
 */

export { appHost } from "./app-host.ts";
export type { ViewBridge } from "./bridge.ts";
export { loadView, type LoadedView, type LoadViewLimits, type LoadViewOptions } from "./load-view.ts";
export { openBridge } from "./open-bridge.ts";
export type {
  AuditEntry,
  BridgeSession,
  ViewBridgeLimits,
  ViewBridgeOptions,
  ModelContextUpdate,
  ViewLogMessage,
  ViewRequest,
} from "./options.ts";
export { parsePartialArguments } from "./partial-arguments.ts";
export { allowOf, cspOf } from "./policy.ts";
export { sandboxFrame, sandboxProxy, type SandboxFrame, type SandboxProxy } from "./sandbox.ts";
export type { ContainerDimensions, DisplayMode, HostContext, HostStyles } from "../wire/context.ts";
export type { ViewCsp } from "../wire/csp.ts";
export { AppError, appErrors, isAppError, type AppErrorCode } from "../wire/error.ts";
export type { ViewPermission } from "../wire/permissions.ts";
export { isVisibleTo, modelTools, viewUriOf, type ToolVisibility } from "../wire/tool-view.ts";
