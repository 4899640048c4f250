import { isLocalError } from "@tenon/jsonrpc2";

import type { InnerServerRequest } from "../../request/server/request.ts";

/** The last report on each request that asked for progress. */
const reports = new WeakMap<InnerServerRequest, SentReport>();

interface Report {
  /** As it is sent. */
  progress: number;
  /** The last progress that the handler reported; `undefined` if it has reported none. */
  own: number | undefined;
  total: number | undefined;
}

/** One object per request, which changes: a new entry per report costs more than the report. */
interface SentReport extends Report {
  /** When it was sent. 0 if there is no interval to keep. */
  atMs: number;
}

/**
 * Interval of progress notifications while waiting for a client, in milliseconds: well below the
 * idle timeout of 60 seconds that many clients use.
 */
const waitingIntervalMs = 15_000;

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
    await send(request, before, { progress, own, total }, message);
  }
}

/**
 * Adds the smallest possible step to a value, so that later reports of the handler are still
 * greater.
 */
function justAbove(progress: number): number {
  return progress < 0 ? 0 : progress + Math.max(progress, 1) * 1e-9;
}

async function send(
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
  if (before === undefined) {
    reports.set(request.original, { progress, own, total, atMs });
  } else {
    Object.assign(before, { progress, own, total, atMs });
  }
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

/**
 * Reports progress at an interval while a handler waits for the client's response, if the request
 * carries a token. Otherwise the client's own request could time out while a person thinks.
 *
 * @returns Ends the reports.
 */
export function reportWaiting(request: InnerServerRequest, message: string): () => void {
  if (progressTokenOf(request) === undefined) {
    return () => {};
  }
  const { clock, onError } = request;
  let timer: unknown;
  const wait = (): void => {
    timer = clock.setTimeout(() => {
      const before = reports.get(request.original);
      const { progress = -1, own, total } = before ?? {};
      send(request, before, { progress: justAbove(progress), own, total }, message).catch(onError);
      wait();
    }, waitingIntervalMs);
  };
  wait();
  return () => {
    clock.clearTimeout(timer);
  };
}
