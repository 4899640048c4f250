/**
 * The entry `@tenon/jsonrpc2/core` has everything that `@tenon/jsonrpc2` exports, except `Peer`.
 * Programs that need a peer late, or never, import from here, because bundlers then leave the peer
 * out of the first file.
 *
 * @packageDocumentation
 */

export { systemClock, type Clock } from "@tenon/base";
export { encode } from "./codec/encode.ts";
export { defaultLimits, type DecodeLimits } from "./codec/limits.ts";
export {
  connectionClosed,
  ErrorCode,
  isLocalError,
  isRpcError,
  isUndeliverable,
  LocalError,
  localErrors,
  RpcError,
  undeliverable,
  type LocalErrorCode,
} from "./error.ts";
// Not by name: only what `*` exports can be extended by `declare module "@tenon/jsonrpc2"`.
export { extra, type MessageExtra } from "./extra.ts";
export { withExtra } from "./with-extra.ts";
export {
  isBatch,
  isMalformed,
  isMany,
  isNotification,
  isRequest,
  isResponse,
  type Batch,
  type ErrorObject,
  type ErrorResponse,
  type ExceededLimit,
  type Incoming,
  type Malformed,
  type Message,
  type Notification,
  type Outgoing,
  type Params,
  type Request,
  type RequestId,
  type Response,
  type ResultResponse,
} from "./message.ts";
export type { AnyMethods, MethodMap, MethodSignature } from "./methods.ts";
export { methodHandler, methodNotFound, type MethodHandlers } from "./peer/method-handler.ts";
export {
  compose,
  type Handler,
  type Interceptor,
  type OutgoingCall,
  type Scope,
  type Sender,
  type SendingInterceptor,
} from "./peer/handler.ts";
export type {
  CallOptions,
  Answered,
  Cancellation,
  Closed,
  CloseOptions,
  PeerLimits,
  PeerOptions,
  Unexpected,
} from "./peer/options.ts";
export type { Caller, Handling } from "./peer/stateless-peer.ts";
export type {
  Authorization,
  Connection,
  ConnectOptions,
  Network,
  Transport,
  WriteOptions,
} from "./transport.ts";
export {
  LoggingTransport,
  type LineSink,
  type LogEntry,
  type LoggingTransportLimits,
  type LoggingTransportOptions,
} from "./wrap/logging-transport.ts";
export { wrapTransport, type TransportHooks } from "./wrap/wrap-transport.ts";
