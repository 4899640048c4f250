/**
 * What a client of the Model Context Protocol needs: as `@tenon/sdk`, without what only servers do.
 *
 * @packageDocumentation
 */

export {
  isLocalError,
  isRpcError,
  LocalError,
  LoggingTransport,
  RpcError,
  wrapTransport,
  type Connection,
  type LogEntry,
  type Transport,
} from "@tenon/jsonrpc2";
export * from "@tenon/mcp/client";
export type * from "@tenon/protocol";
