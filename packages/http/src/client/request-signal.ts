/** Listens to a {@link RequestSignal}. */
interface AbortListener {
  handleEvent(): void;
}

/**
 * The signal that ends a request: an `AbortSignal`, or a {@link RequestAbort}, which creates one
 * only on demand.
 */
export interface RequestSignal {
  /** Whether the request was aborted. */
  readonly aborted: boolean;
  /** The reason of the abort. */
  readonly reason: unknown;
  /** Throws the reason if the request was aborted. */
  throwIfAborted(): void;
  /** Calls a listener once when the request is aborted; never if it is aborted already. */
  addEventListener(type: "abort", listener: AbortListener, options: { readonly once: true }): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: AbortListener): void;
}

/**
 * Ends a request like an `AbortController`. An `AbortController` for each request would take as
 * much time as its headers.
 */
export class RequestAbort implements RequestSignal {
  #ended: { readonly reason: unknown } | undefined;
  /** The first listener. Requests usually have no other at the same time. */
  #listener: AbortListener | undefined;
  #controller: AbortController | undefined;

  /** Whether the request was aborted. */
  get aborted(): boolean {
    return this.#ended !== undefined;
  }

  /** The reason of the abort. */
  get reason(): unknown {
    return this.#ended?.reason;
  }

  /** The `AbortSignal` with the same state. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) {
        this.#controller.abort(this.#ended.reason);
      }
    }
    return this.#controller.signal;
  }

  /** Throws the reason if the request was aborted. */
  throwIfAborted(): void {
    if (this.#ended !== undefined) {
      throw this.#ended.reason;
    }
  }

  /** Calls a listener once when the request is aborted; never if it is aborted already. */
  addEventListener(type: "abort", listener: AbortListener, options: { readonly once: true }): void {
    if (this.#ended !== undefined) {
      return;
    }
    if (this.#listener === undefined) {
      this.#listener = listener;
    } else {
      this.signal.addEventListener(type, listener, options);
    }
  }

  /** Removes a listener. */
  removeEventListener(type: "abort", listener: AbortListener): void {
    if (this.#listener === listener) {
      this.#listener = undefined;
    } else {
      this.#controller?.signal.removeEventListener(type, listener);
    }
  }

  /** Ends the request. Later calls have no effect. */
  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    if (this.#ended === undefined) {
      this.#ended = { reason };
      const listener = this.#listener;
      this.#listener = undefined;
      listener?.handleEvent();
      this.#controller?.abort(reason);
    }
  }
}

/** Returns the signal for functions that take only an `AbortSignal`. */
export function abortSignalOf(signal: RequestSignal): AbortSignal {
  return signal instanceof RequestAbort ? signal.signal : (signal as AbortSignal);
}
