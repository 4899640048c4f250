import type { RequestOptions } from "../../request/client/options.ts";

/**
 * Returns the options of a request whose `onProgress` receives only values that increase, over all
 * round trips of the request. A handler that is run again after an input request reports from the
 * beginning.
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
