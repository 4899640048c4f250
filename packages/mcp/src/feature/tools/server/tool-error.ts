import type { CallToolResult } from "@tenon/protocol";

const errors = new WeakMap<object, unknown>();

/** Makes a result with `isError`, and notes what is behind it. */
export function errorResult(message: string, error: unknown): CallToolResult {
  const result: CallToolResult = { content: [{ type: "text", text: message }], isError: true };
  errors.set(result, error);
  return result;
}

/**
 * Returns the error behind a result with `isError`, for receiving middleware: the handler's
 * exception, an `RpcError` for invalid arguments, or an `Error` for invalid output. Returns
 * `undefined` for successful results, for results that the handler created itself, and for copies.
 *
 * @param result - The value that `next(request)` returned or resolved with.
 * @source S-093
 */
export function getToolError(result: unknown): unknown {
  return typeof result === "object" && result !== null ? errors.get(result) : undefined;
}
