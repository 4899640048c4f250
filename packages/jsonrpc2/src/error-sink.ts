import { reportError } from "./peer/hooks.ts";

/**
 * Where errors go that nobody else sees.
 *
 * @param onError - The user's. What it throws or rejects with is dropped: it must not change what is answered. Default: errors are dropped.
 */
export function errorSink(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => reportError({ onError }, error);
}
