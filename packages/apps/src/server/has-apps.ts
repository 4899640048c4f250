import { isRecord } from "@tenon/base";
import type { RequestContext } from "@tenon/mcp";

import { extension, viewType } from "../wire/names.ts";

/**
 * Returns whether the client of a request shows views. A tool may return a shorter text then, but
 * never none: the model reads the text, and users of other clients read nothing else.
 *
 * @example
 * server.addTool({ name: "forecast", ui: "ui://weather/chart" }, (_, context) =>
 *   hasApps(context) ? "The chart shows a week." : "Monday: sunny. Tuesday: rain.",
 * );
 */
export function hasApps({ client }: Pick<RequestContext, "client">): boolean {
  const settings: unknown = client.capabilities.extensions?.[extension];
  const types: unknown = isRecord(settings) ? settings["mimeTypes"] : undefined;
  return Array.isArray(types) && types.includes(viewType);
}
