import type { RequestOptions } from "../../request/client/options.ts";

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
