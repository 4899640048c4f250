import { Roster, unref, type Enrolled } from "@tenon/http/server";

/** What is kept alive: an answer that has not come yet. */
export interface Beating extends Enrolled {
  beat(): void;
}

/** One timer for everything that waits. It runs only while something does, and does not keep the process alive. */
export class Heartbeat {
  readonly #everyMs: number;
  readonly #members = new Roster<Beating>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param everyMs - 0: never. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(member: Beating): void {
    this.#members.add(member);
    if (this.#timer === undefined && this.#everyMs > 0) {
      this.#timer = setInterval(() => this.#beat(), this.#everyMs);
      unref(this.#timer);
    }
  }

  delete(member: Beating): void {
    this.#members.delete(member);
  }

  #beat(): void {
    if (this.#members.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const member of this.#members.members()) {
      member.beat();
    }
  }
}
