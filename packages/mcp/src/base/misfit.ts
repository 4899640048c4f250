import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

const maxMessage = 150;

/**
 * The `-32602` for a value that does not match its schema. The message is one short line with the
 * first reason; `data.reasons` has all reasons.
 *
 * @param what - The start of the message: `Invalid params of com.example/count`.
 * @param reasons - One reason a line, as `explain` writes them.
 * @source R-109
 */
export function misfit(what: string, reasons: string): RpcError {
  const lines = reasons.split("\n");
  const first = `${what}: ${lines[0] ?? ""}`;
  const message = first.length > maxMessage ? `${first.slice(0, maxMessage - 1)}…` : first;
  return new RpcError(ErrorCode.InvalidParams, message, { data: { reasons: lines } });
}
