/**
 * Exports for servers of the Model Context Protocol: `@tenon/sdk` without the exports for clients.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/server";
export {
  isLocalError,
  isRpcError,
  LocalError,
  LoggingTransport,
  RpcError,
  wrapTransport,
} from "@tenon/jsonrpc2/core";
export type * from "./shared.ts";
