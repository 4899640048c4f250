/**
 * Tenon: the Model Context Protocol in TypeScript, in one install. Everything here is re-exported
 * from the packages that it is made of; `@tenon/sdk/client` and `@tenon/sdk/server` are the halves
 * of this entry, for programs that are one of them.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp";
export {
  isLocalError,
  isRpcError,
  LocalError,
  LoggingTransport,
  RpcError,
  wrapTransport,
} from "@tenon/jsonrpc2/core";
export type * from "./shared.ts";
