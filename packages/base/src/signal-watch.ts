/** Something that ends when a signal fires. */
export interface Abortable {
  /** Called once, with the reason of the signal. It must not throw. */
  abandon(reason: unknown): void;
}

/**
 * Watches the signals of pending calls, with one listener for each signal however many share it:
 * some platforms warn of a leak when a signal has more than ten.
 */
export class SignalWatch {
  readonly #watched = new Map<AbortSignal, Listener>();

  /** Watches a signal for a call. Add a call once, and only if the signal has not yet aborted. */
  add(signal: AbortSignal, call: Abortable): void {
    let listener = this.#watched.get(signal);
    if (listener === undefined) {
      listener = new Listener(signal);
      this.#watched.set(signal, listener);
      signal.addEventListener("abort", listener);
    }
    listener.calls.add(call);
  }

  /** Removes a call. The last call of a signal removes the listener on the signal as well. */
  remove(signal: AbortSignal, call: Abortable): void {
    const listener = this.#watched.get(signal);
    if (listener?.calls.delete(call) === true && listener.calls.size === 0) {
      this.#watched.delete(signal);
      signal.removeEventListener("abort", listener);
    }
  }
}

/** An object as listener, so that nothing else is allocated to watch a signal. */
class Listener {
  readonly calls = new Set<Abortable>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  handleEvent(): void {
    for (const call of this.calls) {
      call.abandon(this.#signal.reason);
    }
  }
}
