import { TaskError } from "../error.ts";
import type { TaskRun } from "./run.ts";
import type { Setting } from "./setting.ts";

/** The functions of runs that have ended, though the functions have not. */
export class Functions {
  readonly #setting: Setting;
  /** How many were given up and have not ended since. */
  #givenUp = 0;

  /** @param setting - The limits `slotGraceMs` and `maxRunning` apply. */
  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /**
   * Resolves when a function has ended, or has been given up: after `slotGraceMs`, unless
   * `maxRunning` others are given up already, so that such functions do not pile up.
   *
   * @param settled - Resolves when the function has ended. Never rejects.
   */
  async ended({ id, record }: TaskRun, settled: Promise<void>): Promise<void> {
    const { clock, limits, onError } = this.#setting;
    let isOver = false;
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      const giveUp = (): void => {
        if (this.#givenUp < limits.maxRunning) {
          this.#givenUp++;
          void settled.then(() => this.#givenUp--);
          resolve();
        } else {
          timer = clock.setTimeout(giveUp, limits.slotGraceMs, false);
        }
      };
      timer = clock.setTimeout(giveUp, limits.slotGraceMs, false);
    });
    await Promise.race([settled.then(() => void (isOver = true)), late]);
    clock.clearTimeout(timer);
    if (!isOver) {
      onError(
        new TaskError(
          "LIMIT_EXCEEDED",
          `Function of ${JSON.stringify(record.name)} must end when its signal aborts; its run of the task ${id} ended ${limits.slotGraceMs} ms ago (slotGraceMs). Its slot is free again.`,
        ),
      );
    }
  }
}
