import type { Cancellation } from "@tenon/jsonrpc2";

const maxReasonLength = 500;

/**
 * `notifications/cancelled`, both ways. `initialize` is never cancelled. Malformed cancellations
 * are ignored.
 *
 * @source R-410…
 */
export const cancellation: Cancellation = {
  notification(requestId, reason, method) {
    if (method === "initialize") {
      return undefined;
    }
    const text = reasonText(reason);
    return {
      method: "notifications/cancelled",
      params: text === undefined ? { requestId } : { requestId, reason: text },
    };
  },
  read({ method, params }) {
    if (method !== "notifications/cancelled" || params === undefined) {
      return undefined;
    }
    const { requestId, reason } = params as { requestId?: unknown; reason?: unknown };
    if (typeof requestId !== "string" && typeof requestId !== "number") {
      return undefined;
    }
    const message =
      typeof reason === "string" ? reason.slice(0, maxReasonLength) : "The request was cancelled.";
    return { id: requestId, reason: new DOMException(message, "AbortError") };
  },
};

function reasonText(reason: unknown): string | undefined {
  const text = typeof reason === "string" ? reason : reason instanceof Error ? reason.message : "";
  return text === "" ? undefined : text.slice(0, maxReasonLength);
}
