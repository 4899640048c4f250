import { takeLateFailure } from "@tenon/jsonrpc2";

/** Where errors go that nobody else sees. A callback of the user that throws must not change what is answered. */
export function errorSink(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      takeLateFailure(onError?.(error), () => {});
    } catch {
      // An error sink that fails has nowhere left to report to.
    }
  };
}
