import { metaOf } from "@tenon/protocol";

import type { RequestOptions } from "../../request/client/options.ts";

/** The requests that a server answers by code of its author. */
const longMethods: ReadonlySet<string> = new Set([
  "tools/call",
  "prompts/get",
  "resources/read",
  "completion/complete",
]);

/**
 * Whether a request may take so long that its server should be able to report progress. A token of
 * the caller is kept.
 */
export function mayTakeLong(method: string, params: object | undefined): boolean {
  return longMethods.has(method) && metaOf(params)?.["progressToken"] === undefined;
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
