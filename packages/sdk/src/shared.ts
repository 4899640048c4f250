/** What both halves have beside `@tenon/mcp`: errors, the contract of transports and what wraps them, and the types of the protocol. */

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
export type * from "@tenon/protocol";
