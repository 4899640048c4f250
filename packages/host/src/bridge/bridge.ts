import type { StructuredLogger } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";

import type { NamedTool } from "../manager/options.ts";
import { toEngineResult, type EngineResult } from "./content.ts";

/** A remote tool as an engine sees it. @source S-276 */
export interface EngineTool {
  /** The qualified name. @source S-277 */
  readonly name: string;
  /** The server's words, and which server it is. @source S-278 */
  readonly description: string;
  /** The server's JSON Schema, unchanged. @source S-279 */
  readonly inputSchema: NamedTool["tool"]["inputSchema"];
  /** `false` unless annotations are trusted and contain the hint. @source S-280 */
  readonly isConcurrencySafe: boolean;
  readonly isReadOnly: boolean;
  readonly server: string;
  /** Calls the tool through the manager. @throws `HostError`; `signal.reason`. @source S-281 */
  execute(
    args: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<EngineResult>;
}

/** The object that calls tools: a `Manager`. */
export interface ToolCaller {
  /** Calls a tool of a server. */
  callTool(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallToolResult>;
}

/** Options of {@link bridgeTool}. */
export interface BridgeOptions {
  /**
   * Returns whether to trust the annotations of a server's tools (`readOnlyHint`). By default no
   * annotations are trusted.
   */
  readonly trustAnnotations?: ((server: string) => boolean) | undefined;
}

/** Makes an engine tool of a remote one. */
export function bridgeTool(named: NamedTool, caller: ToolCaller, options: BridgeOptions = {}): EngineTool {
  const { name, server, tool } = named;
  const isReadOnly = tool.annotations?.readOnlyHint === true && options.trustAnnotations?.(server) === true;
  const description = tool.description ?? tool.annotations?.title ?? tool.name;
  return {
    name,
    description: `${description}\n(from the MCP server ${server})`,
    inputSchema: tool.inputSchema,
    isConcurrencySafe: isReadOnly,
    isReadOnly,
    server,
    async execute(args, { signal } = {}) {
      return toEngineResult(await caller.callTool(server, tool.name, args, { signal }));
    },
  };
}

/** The tool registry of an engine. */
export interface ToolRegistry {
  /** True if there is a tool of this name. */
  has(name: string): boolean;
  /** Adds a tool whose name is free. */
  add(tool: EngineTool): void;
}

/** The result of {@link bridgeAll}. */
export interface BridgeReport {
  /** How many tools were added. */
  readonly added: number;
  /** The names that were registered already. */
  readonly skipped: readonly string[];
}

/**
 * Adds the tools of all connected servers to a registry; names that are taken are skipped, logged
 * and reported.
 *
 * @source S-282
 */
export async function bridgeAll(
  manager: ToolCaller & { tools(): Promise<readonly NamedTool[]> },
  registry: ToolRegistry,
  options: BridgeOptions & { readonly logger?: Pick<StructuredLogger, "warn"> | undefined } = {},
): Promise<BridgeReport> {
  const skipped: string[] = [];
  let added = 0;
  for (const named of await manager.tools()) {
    if (registry.has(named.name)) {
      skipped.push(named.name);
      options.logger?.warn({ tool: named.name }, "A tool is registered already and is skipped");
    } else {
      registry.add(bridgeTool(named, manager, options));
      added++;
    }
  }
  return { added, skipped };
}
