import { defineClientExtension, type ClientExtension } from "@tenon/mcp";

import { extension, viewType } from "../wire/names.ts";

/**
 * Declares to servers that this host shows views.
 *
 * @example client.use(appHost());
 * @source SEP-1865, R-709
 */
export function appHost(): ClientExtension {
  return defineClientExtension({ id: extension, setup: () => ({ mimeTypes: [viewType] }) });
}
