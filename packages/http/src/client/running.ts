/**
 * Requests in flight that end together. Each has its own signal, because a shared signal would
 * collect their listeners.
 */
export class Running {
  readonly #controllers = new Set<AbortController>();
  #reason: { readonly reason: unknown } | undefined;

  /** True after {@link abort}. */
  get ended(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * Sends something; its signal fires when all are aborted. Rejects with the reason if that has
   * happened.
   */
  async run<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#reason !== undefined) {
      throw this.#reason.reason;
    }
    const controller = new AbortController();
    this.#controllers.add(controller);
    try {
      return await send(controller.signal);
    } finally {
      this.#controllers.delete(controller);
    }
  }

  /** Ends everything. */
  abort(reason: unknown): void {
    this.#reason ??= { reason };
    for (const controller of this.#controllers) {
      controller.abort(reason);
    }
  }
}
