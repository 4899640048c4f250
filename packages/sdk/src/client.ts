/**
 * Exports for clients of the Model Context Protocol: `@tenon/sdk` without the exports for servers.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/client";
export {
  isLocalError,
  isRpcError,
  LocalError,
  LoggingTransport,
  RpcError,
  wrapTransport,
} from "@tenon/jsonrpc2/core";
export type * from "./shared.ts";
