import { Roster, type Enrolled } from "@tenon/base";
import { timerDelay, unref } from "@tenon/http/transport";

/** A pending response that gets heartbeats. */
export interface Beating extends Enrolled {
  beat(): void;
}

/**
 * One timer for everything that waits. It runs only while something does, and does not keep the
 * process alive.
 */
export class Heartbeat<M extends Beating = Beating> {
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #members = new Roster<M>();
  /**
   * Properties that threw. They stay properties, because they are limited and closed with the
   * others.
   */
  readonly #failed = new WeakSet<M>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * @param everyMs - The interval. `Infinity` disables heartbeats.
   * @param onError - Called with an error that a response throws. The response then gets no more
   *   heartbeats.
   */
  constructor(everyMs: number, onError: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** How many wait. */
  get size(): number {
    return this.#members.size;
  }

  /** All that wait. */
  members(): readonly M[] {
    return this.#members.members();
  }

  add(member: M): void {
    this.#members.add(member);
    if (this.#timer === undefined && this.#everyMs < Infinity) {
      this.#timer = setInterval(() => this.#beat(), timerDelay(this.#everyMs));
      unref(this.#timer);
    }
  }

  delete(member: M): void {
    this.#members.delete(member);
  }

  #beat(): void {
    if (this.#members.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const member of this.#members.members()) {
      if (this.#failed.has(member)) {
        continue;
      }
      try {
        member.beat();
      } catch (error) {
        // A framework may have sent the response in the handler's place. An error in a timer would
        // end the process.
        this.#failed.add(member);
        this.#onError(error);
      }
    }
  }
}
