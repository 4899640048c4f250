import type { TaskPatch } from "../store/record.ts";
import type { Setting } from "./setting.ts";

/** The message and progress of a run, written not more often than allowed. */
export class StatusLine {
  readonly #setting: Setting;
  readonly #write: (patch: TaskPatch) => void;
  #waiting: TaskPatch | undefined;
  #timer: unknown;
  #lastMs = -Infinity;

  /** @param write - Writes a change of the record. */
  constructor(setting: Setting, write: (patch: TaskPatch) => void) {
    this.#setting = setting;
    this.#write = write;
  }

  /** Writes a change now, or at the end of the interval. */
  set(patch: TaskPatch): void {
    const { clock, limits } = this.#setting;
    this.#waiting = { ...this.#waiting, ...patch };
    const wait = this.#lastMs + limits.statusIntervalMs - clock.now();
    if (wait <= 0) {
      this.#flush();
    } else {
      this.#timer ??= clock.setTimeout(() => this.#flush(), wait, false);
    }
  }

  /**
   * Returns what has not been written, to be written with something else. Nothing is written later.
   */
  take(): TaskPatch {
    const patch = this.#waiting ?? {};
    this.#waiting = undefined;
    this.#setting.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    return patch;
  }

  #flush(): void {
    const patch = this.take();
    this.#lastMs = this.#setting.clock.now();
    this.#write(patch);
  }
}
