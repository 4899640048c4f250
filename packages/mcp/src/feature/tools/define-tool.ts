import type {
  DefinedTool,
  Structured,
  StructuredToolDefinition,
  ToolDefinition,
  ToolHandler,
} from "./definition.ts";

/**
 * A tool as a value: a server offers it with `addTool(tool)`, and a client that imports it calls it with types,
 * `session.callTool(tool, args)`. Nothing is checked before it is offered.
 *
 * @param definition - Its schemas type the handler.
 */
export function defineTool<const N extends string>(
  definition: ToolDefinition<undefined> & {
    readonly name: N;
    readonly input?: undefined;
    readonly output?: undefined;
  },
  handler: ToolHandler<unknown>,
): DefinedTool<N, undefined, undefined>;
/** A tool that takes arguments. */
export function defineTool<const N extends string, const I>(
  definition: ToolDefinition<I> & { readonly name: N; readonly input: I; readonly output?: undefined },
  handler: ToolHandler<I>,
): DefinedTool<N, I, undefined>;
/** A tool with structured output that takes nothing. */
export function defineTool<const N extends string, const O>(
  definition: StructuredToolDefinition<undefined, O> & { readonly name: N; readonly input?: undefined },
  handler: ToolHandler<unknown, Structured<O>>,
): DefinedTool<N, undefined, O>;
/** A tool that takes arguments and has structured output. */
export function defineTool<const N extends string, const I, const O>(
  definition: StructuredToolDefinition<I, O> & { readonly name: N; readonly input: I },
  handler: ToolHandler<I, Structured<O>>,
): DefinedTool<N, I, O>;
export function defineTool(definition: ToolDefinition, handler: DefinedTool["handler"]): DefinedTool {
  return { ...definition, input: definition.input, output: definition.output, handler };
}

/**
 * Tools together, each with its types: `for (const tool of tools) server.addTool(tool)` offers them, and
 * `session.typed<typeof tools>()` or `session.typed(tools)` calls them by name.
 */
export function defineTools<const T extends readonly DefinedTool[]>(...tools: T): T {
  return tools;
}
