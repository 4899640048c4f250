import { connectionClosed } from "@tenon/jsonrpc2";

/** What is being connected at this moment, so that closing ends that too. */
export class Attempts {
  readonly #running = new Map<AbortController, Promise<unknown>>();

  /** Runs one. @param work - Given a signal that fires when `signal` does, or when attempts are ended. */
  async run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const own = controller.signal;
    const attempt = work(signal === undefined ? own : AbortSignal.any([signal, own]));
    this.#running.set(controller, attempt);
    try {
      return await attempt;
    } finally {
      this.#running.delete(controller);
    }
  }

  /** Ends all of them; they reject with `CONNECTION_CLOSED`. Resolves when what they had opened is closed. */
  async end(): Promise<void> {
    const running = [...this.#running];
    const reason = connectionClosed(undefined, "The client was closed while it was connecting.");
    for (const [controller] of running) {
      controller.abort(reason);
    }
    await Promise.allSettled(running.map(([, attempt]) => attempt));
  }
}
