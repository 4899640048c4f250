import { TaskError } from "../error.ts";
import type { JournalEntry } from "../store/record.ts";
import { checkName } from "./names.ts";
import type { Setting } from "./setting.ts";

/** The steps and responses of a task, as one run knows them. */
export class RunJournal {
  readonly #limits: Setting["limits"];
  readonly #values = { step: new Map<string, string>(), answer: new Map<string, string>() };
  /** The steps that this run has begun. */
  readonly #begun = new Set<string>();
  #length = 0;

  /** @param entries - What earlier runs have left. */
  constructor({ limits }: Setting, entries: readonly JournalEntry[]) {
    this.#limits = limits;
    entries.forEach((entry) => this.add(entry));
  }

  /** The value of an entry, if there is one. */
  get(kind: JournalEntry["kind"], key: string): string | undefined {
    return this.#values[kind].get(key);
  }

  /**
   * Notes that this run begins a step.
   *
   * @throws `TypeError` for a name that is taken or not valid.
   */
  begin(step: string): void {
    checkName(step, "Name of a step");
    if (this.#begun.has(step)) {
      throw new TypeError(`This run has the step ${JSON.stringify(step)} already; choose another name.`);
    }
    this.#begun.add(step);
  }

  /** Checks that there is room for an entry. @throws `TaskError` `LIMIT_EXCEEDED`. */
  checkRoom({ key, value }: JournalEntry): void {
    const { maxEntries, maxJournalLength } = this.#limits;
    if (this.size >= maxEntries || this.#length + key.length + value.length > maxJournalLength) {
      throw new TaskError(
        "LIMIT_EXCEEDED",
        `Journal of the task is full: the limits are ${maxEntries} entries (maxEntries) and ${maxJournalLength} characters (maxJournalLength).`,
      );
    }
  }

  /** Adds an entry. */
  add({ kind, key, value }: JournalEntry): void {
    this.#values[kind].set(key, value);
    this.#length += key.length + value.length;
  }

  /** Number of entries. */
  get size(): number {
    return this.#values.step.size + this.#values.answer.size;
  }
}
