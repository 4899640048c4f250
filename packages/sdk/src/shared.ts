/**
 * Exports of the client and the server entry besides `@tenon/mcp`: errors, the contract and
 * wrappers of transports, and the types that options and results consist of.
 */

export {
  isLocalError,
  isRpcError,
  LocalError,
  LoggingTransport,
  RpcError,
  wrapTransport,
  type CallOptions,
  type Clock,
  type Closed,
  type CloseOptions,
  type Connection,
  type ConnectOptions,
  type DecodeLimits,
  type Incoming,
  type LineSink,
  type LocalErrorCode,
  type LogEntry,
  type LoggingTransportLimits,
  type LoggingTransportOptions,
  type Outgoing,
  type Transport,
  type TransportHooks,
  type WriteOptions,
} from "@tenon/jsonrpc2";
export type * from "@tenon/protocol";
