import { takeLateFailure } from "@tenon/base";

/**
 * Does a step whose failure, at once or by the promise that it returns, must not keep others from
 * being done.
 */
export function attempt(step: () => unknown, onError: (error: unknown) => void): void {
  try {
    takeLateFailure(step(), onError);
  } catch (error) {
    onError(error);
  }
}
