/**
 * Takes what a callback rejects with that turned out to be asynchronous: nobody waits for it, and left alone it would end the process.
 *
 * @param returned - What the callback returned.
 */
export function takeLateFailure(returned: unknown, onError: (error: unknown) => void): void {
  if (returned instanceof Promise) {
    returned.catch(onError);
  }
}
