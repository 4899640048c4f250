import { quotedMessage, unlessAborted, type Clock, type ResolvedLimits } from "@tenon/base";
import { LocalError } from "@tenon/jsonrpc2/core";
import type { ElicitResult } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { ClientLimits } from "../../../request/client/limits.ts";
import type { RequiredPage } from "./required-urls.ts";
import type { Visits } from "./visits.ts";

/** One request that failed because its user has to visit pages first. */
export interface Blocked {
  readonly method: string;
  /** Why it failed: `-32042`. */
  readonly error: unknown;
  readonly pages: readonly RequiredPage[];
  readonly visits: Visits;
  readonly limits: ResolvedLimits<ClientLimits>;
  readonly clock: Clock;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Has the user agree to a page, and opens it. */
  readonly open: (page: RequiredPage) => ElicitResult | Promise<ElicitResult>;
  /** Sends the request again. */
  readonly send: () => Promise<object>;
}

/**
 * Has the user visit the pages, one after the other. Sends the request once more when the server
 * has reported that the pages are finished, or after a timeout, because servers need not report it.
 *
 * @throws The error of the request, if the user does not agree to a page; `McpError` `INPUT_FAILED`
 *   if the handler failed; jsonrpc2's `LIMIT_EXCEEDED`; the reason of the signal.
 * @source R-628, R-632, R-633
 */
export async function resumeAfterPages(blocked: Blocked): Promise<object> {
  const { method, error, pages, limits, signal, open, send } = blocked;
  const { maxInputs, pageWaitMs } = limits;
  if (pages.length > maxInputs) {
    throw new LocalError(
      "LIMIT_EXCEEDED",
      `The server sent ${pages.length} web pages in one error; the limit is ${maxInputs} (maxInputs).`,
      { cause: error },
    );
  }
  const opened = async (page: RequiredPage): Promise<ElicitResult> => open(page);
  for (const page of pages) {
    const { action } = await unlessAborted(opened(page), signal).catch((cause: unknown) => {
      if (signal.aborted) {
        throw cause;
      }
      const why = quotedMessage(cause);
      throw new McpError("INPUT_FAILED", `${method} needs a page opened, which failed: ${why}`, { cause });
    });
    if (action !== "accept") {
      throw error;
    }
  }
  await unlessAborted(finished(blocked, pageWaitMs), signal);
  return send();
}

/** Waits until all pages are finished, until the signal fires, or for the maximum time. */
function finished({ pages, visits, clock, signal }: Blocked, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      clock.clearTimeout(timer);
      visits.waiting.delete(look);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const look = (): void => {
      if (signal.aborted || pages.every((page) => visits.finished.has(page.elicitationId))) {
        stop();
      }
    };
    const timer = clock.setTimeout(stop, limitMs, true);
    visits.waiting.add(look);
    signal.addEventListener("abort", stop);
    look();
  });
}
