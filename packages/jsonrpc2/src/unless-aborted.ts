/**
 * Waits for a promise, or until a signal fires; the promise itself goes on, and what becomes of it then is of no interest to anyone.
 *
 * @param signal - `undefined`: nothing ends the wait.
 * @throws What the promise rejects with; `signal.reason`, also if the signal has fired before.
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
