import { isLocalError } from "@tenon/jsonrpc2/core";

import type { InnerServerRequest } from "../../request/server/request.ts";

/** The last report on each request that asked for progress. */
export const reports: WeakMap<InnerServerRequest, SentReport> = new WeakMap();

/** The progress of the work on a request. */
export interface Report {
  /** As it is sent. */
  progress: number;
  /** The last progress that the handler reported; `undefined` if it has reported none. */
  own: number | undefined;
  total: number | undefined;
}

/**
 * The last report on a request. It is one object per request, which changes: a new entry per report
 * costs more than the report.
 */
export interface SentReport extends Report {
  /** When it was sent. 0 if there is no interval to keep. */
  atMs: number;
}

/**
 * The progress token of a request; `undefined` if there is none, or if it is neither a string nor
 * an integer.
 *
 * @source R-430
 */
export function progressTokenOf({ meta }: InnerServerRequest): string | number | undefined {
  const { progressToken } = meta;
  return typeof progressToken === "string" || Number.isInteger(progressToken)
    ? (progressToken as string | number)
    : undefined;
}

/**
 * Sends `notifications/progress`, if the request carries a token and the value has grown.
 *
 * @source, T-80
 */
export async function reportProgress(
  request: InnerServerRequest,
  own: number,
  total: number | undefined,
  message: string | undefined,
): Promise<void> {
  const before = reports.get(request.original);
  if (own > (before?.own ?? -Infinity)) {
    // Progress that was sent during a wait may be ahead of the handler, whose first report is often
    // 0.
    const progress = before === undefined || own > before.progress ? own : justAbove(before.progress);
    await sendReport(request, before, { progress, own, total }, message);
  }
}

/**
 * Adds the smallest possible step to a value, so that later reports of the handler are still
 * greater.
 */
export function justAbove(progress: number): number {
  return progress < 0 ? 0 : progress + Math.max(progress, 1) * 1e-9;
}

/** Sends a report, unless the client did not ask for it or it follows too soon. */
export async function sendReport(
  request: InnerServerRequest,
  before: SentReport | undefined,
  { progress, own, total }: Readonly<Report>,
  message: string | undefined,
): Promise<void> {
  const progressToken = progressTokenOf(request);
  if (progressToken === undefined || request.signal.aborted || !Number.isFinite(progress)) {
    return;
  }
  const { progressIntervalMs, clock } = request;
  const atMs = progressIntervalMs > 0 ? clock.now() : 0;
  // The end of the work is worth telling however soon it comes.
  if (before !== undefined && atMs - before.atMs < progressIntervalMs && own !== total) {
    return;
  }
  reports.set(request.original, { progress, own, total, atMs });
  try {
    await request.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
      ...(message === undefined || !request.rules.members.progress.has("message") ? {} : { message }),
    });
  } catch (error) {
    // The request has completed or its client has disconnected, so no receiver is left.
    if (!isLocalError(error, "CONNECTION_CLOSED")) {
      throw error;
    }
  }
}
