import type { Scope } from "@tenon/jsonrpc2";
import type { RequestOptions } from "mcp-sdk-1/shared/protocol.js";
import { ErrorCode, McpError } from "mcp-sdk-1/types.js";

import type { Internals, Named, RawRequest, Schema } from "./internals.ts";

/** The second argument of the handlers of the official package. */
export function extraOf(
  protocol: Internals,
  request: RawRequest,
  scope: Scope,
  sessionId: string | undefined,
): object {
  const { id, params } = request;
  const { _taskStore: store } = protocol;
  const official = scope.extra?.official;
  return {
    // Read when the handler does: few do, and a signal costs a tenth of a call.
    get signal(): AbortSignal {
      return scope.signal;
    },
    sessionId,
    _meta: params?.["_meta"],
    sendNotification: async (notification: Named): Promise<void> => {
      if (!scope.signal.aborted) {
        await protocol.notification(notification, { relatedRequestId: id });
      }
    },
    sendRequest: async (wanted: Named, schema: Schema, options?: RequestOptions): Promise<unknown> => {
      if (scope.signal.aborted) {
        throw new McpError(ErrorCode.ConnectionClosed, "Request was cancelled");
      }
      return protocol.request(wanted, schema, { ...options, relatedRequestId: id });
    },
    authInfo: official?.authInfo,
    requestId: id,
    requestInfo: official?.requestInfo,
    taskId: undefined,
    taskStore: store === undefined ? undefined : protocol.requestTaskStore(request, sessionId),
    taskRequestedTtl: undefined,
    closeSSEStream: official?.closeSSEStream,
    closeStandaloneSSEStream: official?.closeStandaloneSSEStream,
  };
}
