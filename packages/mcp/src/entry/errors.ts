/**
 * The errors alone, for code that recognizes them but uses neither clients nor servers: middleware
 * that writes logs or traces, for example. It loads none of their code. `isRpcError` and
 * `isLocalError` of `@tenon/jsonrpc2` recognize the errors of JSON-RPC.
 *
 * @packageDocumentation
 */

export {
  isMcpError,
  isResourceNotFound,
  isToolError,
  McpError,
  mcpErrors,
  ToolError,
  type McpErrorCodeName,
} from "../base/error.ts";
export { McpErrorCode } from "@tenon/protocol";

export { getToolError } from "../feature/tools/server/tool-error.ts";
