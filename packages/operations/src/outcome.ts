import { isRpcError } from "@tenon/jsonrpc2/core";
import {
  getToolError,
  isMcpError,
  isSuspension,
  isToolError,
  type Next,
  type ServerRequest,
} from "@tenon/mcp";

/**
 * The end of a request. `input_required` means that the client must provide input, and `tool_error`
 * that the result has `isError` because the handler wants it so. A request is `rejected` if its
 * handler chose the error response. It is `failed` after any other exception, even if the client
 * gets a result with `isError` for it. It is `cancelled` if the client has cancelled it or
 * disconnected.
 */
export type Outcome = "ok" | "input_required" | "tool_error" | "rejected" | "failed" | "cancelled";

/** The end of a request. */
export interface Ending {
  readonly outcome: Outcome;
  /** The code of the error response. */
  readonly code?: number | undefined;
  /** The error, if one was thrown. */
  readonly error?: unknown;
}

/**
 * Whether a message is observed, as a callback of the operator decides. If the callback throws, it
 * is: the mistake must neither fail the request nor hide it.
 */
export function isSelected(
  select: (request: ServerRequest) => boolean,
  request: ServerRequest,
  onError: (error: unknown) => void,
): boolean {
  try {
    return select(request);
  } catch (error) {
    onError(error);
    return true;
  }
}

/** Calls the next handler, and `onEnd` when it has ended. `onEnd` must not throw. */
export function observe(
  next: Next<ServerRequest>,
  request: ServerRequest,
  onEnd: (ending: Ending) => void,
): unknown {
  let result: unknown;
  try {
    result = next(request);
  } catch (error) {
    onEnd(failed(error, request));
    throw error;
  }
  if (result instanceof Promise) {
    return result.then(
      (value: unknown) => {
        onEnd(succeeded(value, request));
        return value;
      },
      (error: unknown) => {
        onEnd(failed(error, request));
        throw error;
      },
    );
  }
  onEnd(succeeded(result, request));
  return result;
}

function succeeded(result: unknown, { signal }: ServerRequest): Ending {
  const { isError, resultType } = (result ?? {}) as {
    readonly isError?: unknown;
    readonly resultType?: unknown;
  };
  if (isError !== true) {
    return { outcome: resultType === "input_required" ? resultType : "ok" };
  }
  const error = getToolError(result);
  const isExpected = error === undefined || isToolError(error) || isRpcError(error) || isMcpError(error);
  return isExpected || signal.aborted ? { outcome: "tool_error" } : { outcome: "failed", error };
}

function failed(error: unknown, { signal }: ServerRequest): Ending {
  if (isSuspension(error)) {
    return { outcome: "input_required" };
  }
  if (signal.aborted) {
    return { outcome: "cancelled", error };
  }
  return isRpcError(error) ? { outcome: "rejected", code: error.code, error } : { outcome: "failed", error };
}

/** Maximum length of a name that a client has chosen, in UTF-16 code units. */
const maxLength = 1_024;

/** Returns what a request is about: the name of a tool or a prompt, or a URI. */
export function targetOf({ params }: ServerRequest): string | undefined {
  const target = params["name"] ?? params["uri"] ?? params["taskId"];
  return typeof target === "string" ? target.slice(0, maxLength) : undefined;
}
