import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { CallToolResult, Tool } from "@tenon/protocol";

import { AppError } from "../wire/error.ts";
import type { Params } from "./conversation.ts";

/** A tool of a view, which the host and its model may call while the view is shown. */
export interface ViewTool extends Omit<Tool, "inputSchema"> {
  /** The schema of the arguments. Default: no arguments. */
  readonly inputSchema?: Tool["inputSchema"] | undefined;
  /**
   * Runs the tool. The arguments have not been validated. A string becomes text content; an error
   * is not sent to the host, unless it is an `RpcError`.
   *
   * @param signal - Aborts when the host cancels the call, or removes the view.
   */
  readonly handler: (
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => string | CallToolResult | Promise<string | CallToolResult>;
}

/** Returns the tools without their handlers. */
export function listTools(tools: ReadonlyMap<string, ViewTool>): { readonly tools: readonly Tool[] } {
  return {
    // Functions cannot be sent between windows.
    tools: [...tools.values()].map(({ inputSchema = { type: "object" }, ...tool }) => ({
      ...tool,
      inputSchema,
      handler: undefined,
    })),
  };
}

/**
 * Calls a tool.
 *
 * @throws `RpcError` `-32602` for an unknown tool; `AppError` `INVALID_MESSAGE` for a value that is
 *   not a result.
 */
export async function callViewTool(
  tools: ReadonlyMap<string, ViewTool>,
  { name, arguments: args }: Params,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const tool = tools.get(name as string);
  if (tool === undefined) {
    throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${String(name).slice(0, 128)}`);
  }
  const result: unknown = await tool.handler(isRecord(args) ? args : {}, signal);
  if (typeof result === "string") {
    return { content: [{ type: "text", text: result }] };
  }
  if (!isRecord(result) || !Array.isArray(result["content"])) {
    throw new AppError(
      "INVALID_MESSAGE",
      `The tool ${tool.name} must return a string, or a result with content.`,
    );
  }
  return result as unknown as CallToolResult;
}
