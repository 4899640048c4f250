import { errorSink, takeLateFailure } from "@tenon/base";

import type { LanesOptions } from "./lanes-options.ts";

/**
 * Options whose hooks do not throw: lanes call them in the middle of their work, for example before
 * they wake the calls that wait. The errors of hooks are passed to `onError`, or else to the
 * console.
 */
export function guardHooks(options: LanesOptions): LanesOptions {
  const { onListChanged, onUnreachable, onEnd, onError } = options;
  const report = errorSink(onError as ((error: unknown) => void) | undefined);
  const guarded =
    <Args extends readonly unknown[]>(hook: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        takeLateFailure(hook(...args), report);
      } catch (error) {
        report(error);
      }
    };
  return {
    ...options,
    onListChanged: onListChanged && guarded(onListChanged),
    onUnreachable: onUnreachable && guarded(onUnreachable),
    onEnd: onEnd && guarded(onEnd),
    // Only a hook that throws is worth a line on the console.
    onError: onError && report,
  };
}
