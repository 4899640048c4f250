/**
 * Relates the refusals of a standalone stream to the calls of its connection. A server that
 * accepts calls with the credentials for which it refuses the stream does not refuse it for them.
 */
export class StreamRefusals {
  #count = 0;
  #accepted = 0;
  #wake: () => void = () => {};

  /** How many times the stream was refused. A call notes it when it is sent. */
  get count(): number {
    return this.#count;
  }

  /** Whether a call was accepted that was sent after the last refusal. */
  get areContradicted(): boolean {
    return this.#count > 0 && this.#accepted === this.#count;
  }

  /** The stream was refused for its credentials. @param wake - Called when a call is accepted. */
  note(wake: () => void): void {
    this.#count++;
    this.#wake = wake;
  }

  /** A call was accepted. @param count - The number of refusals when it was sent. */
  accept(count: number): void {
    if (count > this.#accepted) {
      this.#accepted = count;
      this.#wake();
    }
  }
}
