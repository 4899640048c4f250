import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Tool } from "@tenon/protocol";

import { Registry } from "../../base/registry.ts";
import { onlyFields } from "../../base/values.ts";
import { isOffered, listCapability } from "../../request/capabilities.ts";
import type { FeatureSetup, ServerFeature } from "../../request/server/feature.ts";
import type { ToolDefinition } from "../../request/tool.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { Listing } from "../listing/server.ts";
import { refuseUnsupported } from "../misplaced.ts";
import { unknownTool } from "../not-found.ts";
import { schemaLoader } from "../resolve-schema.ts";
import { callTool, structuring } from "./server/call.ts";
import { registerTool, type RegisteredTool } from "./server/register.ts";

/** The server's side of tools: `tools/list` and `tools/call`. */
export class ToolsFeature implements ServerFeature {
  readonly registry: Registry<RegisteredTool>;
  readonly methods: NonNullable<ServerFeature["methods"]>;
  readonly capabilities: NonNullable<ServerFeature["capabilities"]>;
  /**
   * Loads what tools with an output schema need, and the compiler of schemas, if a tool needs it.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a schema that only the compiler can find invalid.
   */
  readonly load: () => Promise<unknown> | undefined;
  /** Applies the options of extensions to a tool that is added. */
  onAdd: ((registered: RegisteredTool) => void) | undefined;
  /** The options that extensions have added. */
  readonly options: Set<string> = new Set();
  /** Whether tools may have time limits of their own. */
  isTimed: boolean = false;

  constructor(setup: FeatureSetup) {
    const { tools } = setup.declared;
    this.registry = new Registry("tool", () => setup.listChanged("notifications/tools/list_changed"));
    this.load = schemaLoader(this.registry, ({ input, output }) =>
      output === undefined ? [input] : [input, output, structuring],
    );
    const listing = new Listing(this.registry, setup.pageSize, listedTool);
    this.capabilities = { tools: () => (isOffered(tools, true) ? listCapability(tools) : undefined) };
    this.methods = {
      "tools/list": ({ cursor }, request) => listing.page("tools", cursor, request),
      "tools/call": (params, request) => {
        const { name } = params;
        if (typeof name !== "string") {
          throw new RpcError(ErrorCode.InvalidParams, 'The "name" of the tool to call must be a string');
        }
        const registered = this.registry.get(name);
        if (registered === undefined) {
          throw unknownTool(name);
        }
        return callTool(registered, params["arguments"], request, setup.onError);
      },
    };
  }

  add(definition: ToolDefinition, handler: RegisteredTool["handler"]): void {
    const registered = registerTool(definition, handler);
    const { name } = registered.tool;
    refuseUnsupported(name, definition, this.options);
    this.onAdd?.(registered);
    this.registry.add(name, registered);
    this.isTimed ||= registered.timeoutMs !== undefined;
  }

  /** The time limit of a tool's own. */
  timeoutOf(name: unknown): number | undefined {
    return this.registry.get(name as string)?.timeoutMs;
  }
}

function listedTool({ tool, listed }: RegisteredTool, rules: RevisionRules): Tool {
  const added = listed?.(rules);
  return downConvertTool(added === undefined ? tool : { ...tool, ...added }, rules);
}

/**
 * Returns the tool without the properties that a protocol version does not have. Schemas are sent
 * unchanged.
 *
 * @source R-496, T-64
 */
export function downConvertTool(tool: Tool, rules: RevisionRules): Tool {
  const { outputSchema, ...rest } = tool;
  const keepOutput = outputSchema === undefined || rules.anyOutputSchema || outputSchema.type === "object";
  return onlyFields(keepOutput ? tool : (rest as Tool), rules.members.tool);
}
