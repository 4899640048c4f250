import { isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { ErrorCode, McpError } from "mcp-sdk-1/types.js";

/** The error response to a request whose handler threw. Any integer code is sent, with its text. */
export function toRpcError(error: unknown): RpcError {
  if (isRpcError(error)) {
    return error;
  }
  const { code, message, data } = Object(error) as Partial<Record<"code" | "message" | "data", unknown>>;
  return new RpcError(
    Number.isSafeInteger(code) ? (code as number) : ErrorCode.InternalError,
    typeof message === "string" ? message : "Internal error",
    { ...(data === undefined ? {} : { data }), cause: error },
  );
}

/** The error that a program gets for an error response. */
export function toMcpError({ code, message, data }: RpcError): McpError {
  return McpError.fromError(code, message, data);
}

/** The error of a call that ran out of its time. */
export function timedOut(timeout: number): McpError {
  return McpError.fromError(ErrorCode.RequestTimeout, "Request timed out", { timeout });
}

/** The error of a call whose connection ended. */
export function closed(): McpError {
  return McpError.fromError(ErrorCode.ConnectionClosed, "Connection closed", undefined);
}
