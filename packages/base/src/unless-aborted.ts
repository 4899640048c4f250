/**
 * Waits for a promise, or until a signal aborts. The promise itself continues; its later result or
 * error is ignored.
 *
 * @param signal - If `undefined`, only the promise ends the wait.
 * @throws The error that the promise rejects with; `signal.reason`, even if the signal was already
 *   aborted.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
    };
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener("abort", onAbort, { once: true });
    }
    const stop = (): void => {
      signal.removeEventListener("abort", onAbort);
    };
    promise.then(resolve, reject).then(stop, stop);
  });
}
