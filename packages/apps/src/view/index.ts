/**
 * The code inside of a view: its conversation with the host that shows it.
 *
 * @packageDocumentation
 */

export { connectView } from "./connect.ts";
export type { ViewRequestOptions } from "./conversation.ts";
export type { ViewSize } from "./size.ts";
export { applyHostStyles } from "./styles.ts";
export type { ViewTool } from "./tools.ts";
export type { ModelContext, View, ViewLimits, ViewOptions } from "./view.ts";
export type { ContentKinds, HostCapabilities } from "../wire/capabilities.ts";
export type { ContainerDimensions, DisplayMode, HostContext, HostStyles } from "../wire/context.ts";
export type { ViewCsp } from "../wire/csp.ts";
export { AppError, appErrors, isAppError, type AppErrorCode } from "../wire/error.ts";
export type { ViewPermission } from "../wire/permissions.ts";
