/**
 * What a server of the Model Context Protocol needs: as `@tenon/sdk`, without what only clients do.
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
export * from "@tenon/mcp/server";
export type * from "@tenon/protocol";
