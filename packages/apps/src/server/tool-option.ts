import { isRecord } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { visibilities, type ToolVisibility } from "../wire/tool-view.ts";

/** The view of a tool, and who may call the tool. */
export interface ToolView {
  /** The URI of a view of the server. Without it, the result of the tool has no view. */
  readonly view?: string | undefined;
  /**
   * `model`: the model sees and calls the tool. `app`: views of this server call it. Default: both.
   */
  readonly visibility?: readonly ToolVisibility[] | undefined;
}

/**
 * Reads the value of the option `ui` of a tool.
 *
 * @throws An `Error` whose message describes the problem.
 */
export function readToolView(value: unknown, tool: Tool, views: ReadonlySet<string>): ToolView {
  if (tool._meta?.["ui"] !== undefined) {
    throw new Error("a tool has either ui or _meta.ui, not both.");
  }
  const option: unknown = typeof value === "string" ? { view: value } : value;
  if (!isRecord(option)) {
    throw new Error(`it must be the URI of a view, or { view, visibility }; got ${typeof value}.`);
  }
  const { view, visibility } = option;
  if (view !== undefined && (typeof view !== "string" || !views.has(view))) {
    throw new Error(`view must be one of ${listOf(views)}; got ${JSON.stringify(view)?.slice(0, 200)}.`);
  }
  const isList = Array.isArray(visibility) && visibility.length > 0;
  if (visibility !== undefined && !(isList && visibility.every((each) => visibilities.includes(each)))) {
    throw new Error(
      `visibility must be a list of "model" and "app"; got ${JSON.stringify(visibility)?.slice(0, 200)}.`,
    );
  }
  return { view, visibility: visibility as readonly ToolVisibility[] | undefined };
}

function listOf(views: ReadonlySet<string>): string {
  const some = [...views].slice(0, 10).join(", ");
  return `the views of apps({ views }) (${some === "" ? "none" : some}${views.size > 10 ? " …" : ""})`;
}
