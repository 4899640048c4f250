/**
 * Handles the rejection of a callback that is unexpectedly asynchronous. Without a handler, the
 * rejection would end the process.
 *
 * @param returned - The return value of the callback.
 */
export function takeLateFailure(returned: unknown, onError: (error: unknown) => void): void {
  if (returned instanceof Promise) {
    returned.catch(onError);
  }
}
