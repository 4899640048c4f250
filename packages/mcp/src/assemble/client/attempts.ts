import { anySignal } from "@tenon/base";
import { connectionClosed } from "@tenon/jsonrpc2/core";

/** The attempts to connect that are in progress, so that closing ends them too. */
export class Attempts {
  readonly #running = new Map<AbortController, Promise<void>>();

  /**
   * Runs an attempt. If `signal` fires or attempts are ended, it rejects at once with the reason;
   * resources that the attempt has opened are closed in the background.
   *
   * @param work - Called with a signal that fires when `signal` does, or when attempts are ended.
   * @param discard - Closes a result that came after the rejection.
   */
  run<T>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
    discard: (result: T) => Promise<unknown>,
  ): Promise<T> {
    const controller = new AbortController();
    const own = controller.signal;
    const either = signal === undefined ? own : anySignal([signal, own]);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(either.reason);
      };
      either.addEventListener("abort", giveUp, { once: true });
      const attempt = work(either)
        .then(async (result) => {
          if (either.aborted) {
            await discard(result);
          } else {
            resolve(result);
          }
        })
        .catch(reject)
        .finally(() => {
          either.removeEventListener("abort", giveUp);
          this.#running.delete(controller);
        });
      this.#running.set(controller, attempt);
    });
  }

  /**
   * Ends all of them; they reject with `CONNECTION_CLOSED`. Resolves when what they had opened is
   * closed.
   */
  async end(): Promise<void> {
    const running = [...this.#running];
    const reason = connectionClosed("The client was closed while it was connecting.");
    for (const [controller] of running) {
      controller.abort(reason);
    }
    await Promise.all(running.map(([, attempt]) => attempt));
  }
}
