import { takeLateFailure } from "@tenon/base";

/**
 * Calls a function of a caller. Its error, or the error of its promise, is reported: neither must
 * end the call or the process.
 */
export function callBack(run: () => unknown, onError: (error: unknown) => void): void {
  try {
    takeLateFailure(run(), onError);
  } catch (error) {
    onError(error);
  }
}
