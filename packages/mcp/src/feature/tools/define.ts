import type { RequestContext } from "../../request/server/context.ts";
import type { DefinedTool, ToolArguments, ToolDefinition, ToolReturn } from "../../request/tool.ts";

/**
 * A tool as a value: a server offers it with `addTool(tool)`, and a client that imports it calls it
 * with types, `session.callTool(tool, args)`. Nothing is checked before it is offered.
 *
 * @param definition - Its schemas type the handler.
 */
export function defineTool<const N extends string, const I = undefined, const O = undefined>(
  definition: ToolDefinition<I, O, N>,
  // As in `Server.addTool`.
  handler: NoInfer<
    (args: ToolArguments<I>, context: RequestContext) => ToolReturn<O> | Promise<ToolReturn<O>>
  >,
): DefinedTool<N, I, O>;
export function defineTool(definition: ToolDefinition, handler: DefinedTool["handler"]): DefinedTool {
  return { ...definition, input: definition.input, output: definition.output, handler };
}

/**
 * Tools together, each with its types: `for (const tool of tools) server.addTool(tool)` offers
 * them, and `session.typed<typeof tools>()` or `session.typed(tools)` calls them by name.
 */
export function defineTools<const T extends readonly DefinedTool[]>(...tools: T): T {
  return tools;
}
