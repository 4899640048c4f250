import { isRecord } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

/** A caller of a tool: the model, or the views of its server. */
export type ToolVisibility = "model" | "app";

/** Both kinds of {@link ToolVisibility}, the default. */
export const visibilities: readonly ToolVisibility[] = ["model", "app"];

/** The key of the URI of a view in tools of old servers, in place of `ui`. */
const flatKey = "ui/resourceUri";

/**
 * Returns the URI of the view of a tool: `_meta.ui.resourceUri`, or of old servers
 * `_meta["ui/resourceUri"]`. `undefined` if the tool has no view, or one that is not a `ui://` URI.
 *
 * @source R-709
 */
export function viewUriOf({ _meta: meta }: Pick<Tool, "_meta">): string | undefined {
  const ui: unknown = meta?.["ui"];
  const uri: unknown = (isRecord(ui) ? ui["resourceUri"] : undefined) ?? meta?.[flatKey];
  return typeof uri === "string" && uri.startsWith("ui://") ? uri : undefined;
}

/**
 * Returns whether a caller may see and call a tool. A visibility that is not a list is treated as
 * empty, because its author wanted to restrict the tool.
 *
 * @source R-709
 */
export function isVisibleTo({ _meta: meta }: Pick<Tool, "_meta">, caller: ToolVisibility): boolean {
  const ui: unknown = meta?.["ui"];
  const visibility: unknown = isRecord(ui) ? ui["visibility"] : undefined;
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes(caller));
}

/** Returns the tools that a model may see and call. Give these to the model, and no others. */
export function modelTools<T extends Pick<Tool, "_meta">>(tools: readonly T[]): T[] {
  return tools.filter((tool) => isVisibleTo(tool, "model"));
}
