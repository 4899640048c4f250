import { isLocalError, isRpcError, type CallOptions } from "@tenon/jsonrpc2/core";
import type { RequestOptions } from "mcp-sdk-1/shared/protocol.js";
import { ErrorCode, McpError } from "mcp-sdk-1/types.js";

import { closed, timedOut, toMcpError } from "./errors.ts";

/** The options of a peer. The timeout is a total timeout, unless progress restarts it. */
export function callOptions(options: RequestOptions, timeout: number): CallOptions {
  const { onprogress, resetTimeoutOnProgress, maxTotalTimeout, relatedRequestId, signal } = options;
  const isReset = resetTimeoutOnProgress === true;
  const least = Math.max(1, timeout);
  return {
    signal,
    timeoutMs: isReset ? least : Infinity,
    totalTimeoutMs: isReset ? Math.max(1, maxTotalTimeout ?? Infinity) : least,
    relatedTo: relatedRequestId,
    ...(onprogress === undefined
      ? {}
      : {
          onRelated: ({ params }) => {
            const { progressToken: _, ...progress } = params as Record<string, unknown>;
            (onprogress as (progress: object) => void)(progress);
          },
        }),
  };
}

/** The error for the program, from the error of the peer. */
export function failureOf(
  error: unknown,
  options: RequestOptions,
  timeout: number,
  elapsed: number,
): unknown {
  if (isRpcError(error)) {
    return toMcpError(error);
  }
  if (isLocalError(error, "TIMEOUT")) {
    const { resetTimeoutOnProgress, maxTotalTimeout } = options;
    return resetTimeoutOnProgress === true && maxTotalTimeout !== undefined && elapsed >= maxTotalTimeout
      ? McpError.fromError(ErrorCode.RequestTimeout, "Maximum total timeout exceeded", {
          maxTotalTimeout,
          totalElapsed: elapsed,
        })
      : timedOut(timeout);
  }
  if (isLocalError(error, "CONNECTION_CLOSED")) {
    return closed();
  }
  return options.signal?.aborted === true && !(error instanceof McpError)
    ? new McpError(ErrorCode.RequestTimeout, String(options.signal.reason))
    : error;
}
