/**
 * Types of the client and the server entry besides `@tenon/mcp`: the contract of transports, and
 * the types of options and results.
 */

export type {
  CallOptions,
  Clock,
  Closed,
  CloseOptions,
  Connection,
  ConnectOptions,
  DecodeLimits,
  Incoming,
  LineSink,
  LocalErrorCode,
  LogEntry,
  LoggingTransportLimits,
  LoggingTransportOptions,
  Outgoing,
  Transport,
  TransportHooks,
  WriteOptions,
} from "@tenon/jsonrpc2";
export type * from "@tenon/protocol";
