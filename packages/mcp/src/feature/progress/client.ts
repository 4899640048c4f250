import { metaOf } from "@tenon/protocol";

import type { RequestOptions } from "../../request/client/options.ts";

/** The requests that run code of the server's author. */
const longMethods: ReadonlySet<string> = new Set([
  "tools/call",
  "prompts/get",
  "resources/read",
  "completion/complete",
]);

/**
 * Whether a request has a progress token, which is the same in all its round trips. A request that
 * may take long has one even without a listener, because each notification restarts its idle
 * timeout. A token of the caller is kept.
 *
 * @param idleMs - The idle timeout of requests that do not set one.
 */
export function mayReport(
  method: string,
  params: object | undefined,
  { onProgress, timeoutMs }: Pick<RequestOptions, "onProgress" | "timeoutMs">,
  idleMs: number,
): boolean {
  const mayTakeLong = (timeoutMs ?? idleMs) < Infinity && longMethods.has(method);
  return onProgress !== undefined || (mayTakeLong && metaOf(params)?.["progressToken"] === undefined);
}

/**
 * Lets `onProgress` of a request receive only increasing values, over all its round trips. A
 * handler that is run again after an input request reports from the beginning.
 *
 * @source R-431
 */
export function increasing<O extends Pick<RequestOptions, "onProgress">>(options: O): O {
  const { onProgress } = options;
  let highest = -Infinity;
  return onProgress === undefined
    ? options
    : {
        ...options,
        onProgress: (report) => {
          if (report.progress > highest) {
            highest = report.progress;
            // A promise of the handler is returned, so that its rejection is reported.
            return onProgress(report);
          }
        },
      };
}
