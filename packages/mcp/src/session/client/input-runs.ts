import { anySignal } from "@tenon/base";
import type { Clock } from "@tenon/base";
import type { Peer } from "@tenon/jsonrpc2";
import { connectionClosed, LocalError } from "@tenon/jsonrpc2/core";

import type { RequestOptions } from "../../request/client/options.ts";

/** The limits for providing input. */
interface InputTimes {
  readonly clock: Clock;
  readonly limits: { readonly totalTimeoutMs: number };
}

/** The handlers of one session that give a server input at this moment. */
export class InputRuns {
  readonly #peer: Peer;
  readonly #times: InputTimes;
  /** The signal that ends them; `undefined` until there is one. */
  #running: Set<AbortController> | undefined;

  constructor(peer: Peer, times: InputTimes) {
    this.#peer = peer;
    this.#times = times;
  }

  /**
   * Runs `work` with a signal that aborts when the request is aborted, when its `totalTimeoutMs`
   * has elapsed, and when the session ends.
   *
   * @throws The rejection of `work`.
   */
  async run<T>(options: RequestOptions, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    const { clock } = this.#times;
    const { signal, totalTimeoutMs = this.#times.limits.totalTimeoutMs } = options;
    const stop = new AbortController();
    const running = this.#endWithSession();
    running.add(stop);
    // A handler that waits for a person may take long, but not indefinitely.
    const timer =
      totalTimeoutMs < Infinity
        ? clock.setTimeout(() => stop.abort(tookTooLong(totalTimeoutMs)), totalTimeoutMs, true)
        : undefined;
    try {
      return await work(signal === undefined ? stop.signal : anySignal([stop.signal, signal]));
    } finally {
      running.delete(stop);
      clock.clearTimeout(timer);
    }
  }

  /** Handlers that provide input for a server need not continue after it has disconnected. */
  #endWithSession(): Set<AbortController> {
    if (this.#running === undefined) {
      const running = new Set<AbortController>();
      this.#running = running;
      void this.#peer.closed.then(({ error }) =>
        running.forEach((stop) => stop.abort(connectionClosed(undefined, { cause: error }))),
      );
    }
    return this.#running;
  }
}

function tookTooLong(ms: number): LocalError {
  return new LocalError(
    "TIMEOUT",
    `The input for the server was not complete within ${ms} ms (totalTimeoutMs).`,
  );
}
