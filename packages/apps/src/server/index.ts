/**
 * Apps of a server: its views, and the tools that are linked to them.
 *
 * @packageDocumentation
 */

import type { ToolView } from "./tool-option.ts";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /**
     * The URI of the view that hosts show with the results of the tool, or the view and who may
     * call the tool. Requires `server.use(apps(…))`.
     */
    readonly ui?: string | ToolView | undefined;
  }
}

export { apps, type AppsOptions } from "./apps.ts";
export { hasApps } from "./has-apps.ts";
export type { ToolView } from "./tool-option.ts";
export type { ViewDefinition } from "./view.ts";
export type { ViewCsp } from "../wire/csp.ts";
export type { ViewPermission } from "../wire/permissions.ts";
export type { ToolVisibility } from "../wire/tool-view.ts";
