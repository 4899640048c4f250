import { isLocalError } from "@tenon/jsonrpc2";

import type { ServerRequest } from "../../session/request.ts";

/** The last value reported on each request that asked for progress. */
const last = new WeakMap<ServerRequest, number>();

/** Sends `notifications/progress`, if the request carries a token and the value has grown (R-431, R-432, T-80). */
export async function reportProgress(
  request: ServerRequest,
  progress: number,
  total: number | undefined,
  message: string | undefined,
): Promise<void> {
  const { progressToken } = request.meta;
  const hasToken = typeof progressToken === "string" || typeof progressToken === "number";
  const { original } = request;
  if (!hasToken || request.signal.aborted || !(progress > (last.get(original) ?? -Infinity))) {
    return;
  }
  last.set(original, progress);
  try {
    await request.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
  } catch (error) {
    // The request is over, or its client gone: there is nobody left to hear of progress.
    if (!isLocalError(error, "CONNECTION_CLOSED")) {
      throw error;
    }
  }
}
