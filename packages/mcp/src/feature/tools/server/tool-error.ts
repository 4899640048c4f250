import type { Answered, Response } from "@tenon/jsonrpc2/core";
import type { CallToolResult } from "@tenon/protocol";

/** The text for the model in place of an invalid result. */
export const invalidResultText = "The tool failed: its result is not valid.";

const errors = new WeakMap<object, unknown>();

/** Makes a result with `isError`, and notes what is behind it. */
export function errorResult(message: string, error: unknown): CallToolResult {
  const result: CallToolResult = { content: [{ type: "text", text: message }], isError: true };
  errors.set(result, error);
  return result;
}

/**
 * Returns the error for the model in place of a result that the transport could not write as JSON.
 *
 * @returns `undefined` for the results of other methods.
 */
export function insteadOfUnsent({ method }: Answered, response: Response): object | undefined {
  if (method !== "tools/call" || !("result" in response)) {
    return undefined;
  }
  const { resultType } = response.result as Partial<CallToolResult>;
  return { ...(resultType !== undefined && { resultType }), ...errorResult(invalidResultText, undefined) };
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
