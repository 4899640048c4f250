import { declareExtension, type ExtensionHeader } from "../../feature/extensions/define.ts";
import { checkIdentifier } from "../../feature/extensions/identifier.ts";
import type { Received } from "../../request/extension.ts";
import type { ServerExtensionHost } from "../../request/server/extension.ts";
import { install, type ServerExtension } from "../extension.ts";
import type { Server } from "../server.ts";
import type { ServerParts } from "./assemble.ts";
import { hostServerExtension } from "./host-extension.ts";

/** The definition of an extension for servers. */
export interface ServerExtensionDefinition<S = unknown> extends ExtensionHeader<S> {
  /**
   * Adds the parts of the extension: methods, tools and resources by the server, all else by the
   * host.
   *
   * @returns The settings with which the server declares the extension. Default: `{}`.
   */
  setup(server: Server, host: ServerExtensionHost<Received<S>>): object | void;
}

/**
 * Defines an extension of the protocol for servers: `server.use(extension)` adds it. The value may
 * be added to any number of servers.
 *
 * @example
 * const counting = defineServerExtension({
 *   id: "com.example/counter",
 *   setup: (server) => server.addTool({ name: "count" }, () => 3),
 * });
 * server.use(counting);
 *
 * @throws `McpError` `INVALID_DEFINITION` for a bad name.
 */
export function defineServerExtension<const S = unknown>(
  definition: ServerExtensionDefinition<S>,
): ServerExtension {
  const { id } = definition;
  checkIdentifier(id);
  return {
    id,
    [install]: (server: Server, parts: ServerParts) => {
      const { extensions, onError } = parts.definition;
      const host = hostServerExtension<Received<S>>(definition, parts);
      declareExtension(definition, extensions, onError, () => definition.setup(server, host));
    },
  };
}
