import { declareExtension, type ExtensionHeader } from "../../feature/extensions/define.ts";
import { checkIdentifier } from "../../feature/extensions/identifier.ts";
import type { ClientExtensionHost } from "../../request/client/extension.ts";
import type { Received } from "../../request/extension.ts";
import type { ClientDefinition } from "../../session/client/definition.ts";
import type { Client } from "../client.ts";
import { install, type ClientExtension } from "../extension.ts";
import { hostClientExtension } from "./host-extension.ts";

/** The definition of an extension for clients. */
export interface ClientExtensionDefinition<S = unknown> extends ExtensionHeader<S> {
  /**
   * Adds the parts of the extension: methods by the client, all else by the host.
   *
   * @returns The settings with which the client declares the extension. Default: `{}`.
   */
  setup?(client: Client, host: ClientExtensionHost<Received<S>>): object | void;
}

/**
 * Defines an extension of the protocol for clients: `client.use(extension)` adds it. The value may
 * be added to any number of clients.
 *
 * @example
 * const counting = defineClientExtension({ id: "com.example/counter" });
 * client.use(counting);
 *
 * @throws `McpError` `INVALID_DEFINITION` for a bad name.
 */
export function defineClientExtension<const S = unknown>(
  definition: ClientExtensionDefinition<S>,
): ClientExtension {
  const { id } = definition;
  checkIdentifier(id);
  return {
    id,
    [install]: (client: Client, parts: ClientDefinition) => {
      const host = hostClientExtension<Received<S>>(definition, parts);
      declareExtension(definition, parts.extensions, parts.onError, () => definition.setup?.(client, host));
    },
  };
}
