/**
 * Waits for the end of a run that has an input request. The promise never resolves.
 *
 * @param ends - Gets a function that rejects the promise, and that is removed when it is called.
 * @param signal - Rejects the promise earlier.
 * @param onEmpty - Called when nothing waits for the input any more.
 */
export function waitForEnd(
  ends: ((reason: unknown) => void)[],
  signal: AbortSignal | undefined,
  onEmpty: () => void,
): Promise<never> {
  return new Promise((_, reject) => {
    const end = (reason: unknown): void => {
      signal?.removeEventListener("abort", takeBack);
      ends.splice(ends.indexOf(end), 1);
      if (ends.length === 0) {
        onEmpty();
      }
      reject(reason);
    };
    const takeBack = (): void => end(signal?.reason);
    ends.push(end);
    signal?.addEventListener("abort", takeBack);
  });
}
