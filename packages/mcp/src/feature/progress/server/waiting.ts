import type { InnerServerRequest } from "../../../request/server/request.ts";
import { justAbove, progressTokenOf, reports, sendReport } from "../server.ts";

/**
 * Interval of progress notifications while waiting for a client, in milliseconds: well below the
 * idle timeout of 60 seconds that many clients use.
 */
const waitingIntervalMs = 15_000;

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
    const report = (): void => {
      const before = reports.get(request.original);
      const { progress = -1, own, total } = before ?? {};
      sendReport(request, before, { progress: justAbove(progress), own, total }, message).catch(onError);
      wait();
    };
    timer = clock.setTimeout(report, waitingIntervalMs, false);
  };
  wait();
  return () => {
    clock.clearTimeout(timer);
  };
}
