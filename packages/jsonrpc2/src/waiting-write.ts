/** A write that waits for room, until it is accepted or refused, or its signal fires. */
export class WaitingWrite<T> {
  readonly item: T;
  readonly #settle: { resolve(): void; reject(reason: unknown): void };
  readonly #signal: AbortSignal | undefined;
  readonly #remove: (write: WaitingWrite<T>) => void;

  /**
   * A write that begins to wait.
   *
   * @param settle - Settles the promise of the write.
   * @param remove - Called when the signal has fired: the write no longer waits.
   */
  constructor(
    item: T,
    settle: { resolve(): void; reject(reason: unknown): void },
    signal: AbortSignal | undefined,
    remove: (write: WaitingWrite<T>) => void,
  ) {
    this.item = item;
    this.#settle = settle;
    this.#signal = signal;
    this.#remove = remove;
    signal?.addEventListener("abort", this);
  }

  /** The write was accepted. */
  accept(): void {
    this.#signal?.removeEventListener("abort", this);
    this.#settle.resolve();
  }

  /** The write failed. */
  refuse(reason: unknown): void {
    this.#signal?.removeEventListener("abort", this);
    this.#settle.reject(reason);
  }

  /** The signal has fired. */
  handleEvent(): void {
    this.#remove(this);
    this.refuse(this.#signal?.reason);
  }
}
