import { isRecord } from "@tenon/base";
import type { Cancellation } from "@tenon/jsonrpc2";

/** The notification that cancels a request, in both directions: the one of MCP. */
export const cancellation: Cancellation = {
  notification: (requestId, reason) => ({
    method: "notifications/cancelled",
    params: { requestId, ...(reason instanceof Error ? { reason: reason.message } : {}) },
  }),
  read: ({ method, params }) => {
    const id: unknown = isRecord(params) ? params["requestId"] : undefined;
    return method !== "notifications/cancelled"
      ? undefined
      : { id: typeof id === "string" || typeof id === "number" ? id : undefined };
  },
};
