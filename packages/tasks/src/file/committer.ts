import { isTaskError, TaskError } from "../error.ts";
import type { TableChange, TaskTable } from "../store/table.ts";
import { encodeChange, encodeRow, header } from "./codec.ts";
import type { Lock } from "./lock.ts";
import type { LogFile } from "./log.ts";

/** Changes that were made in memory and are not in the log yet. */
interface Waiting {
  readonly changes: readonly TableChange[];
  readonly lines: string;
  readonly isDurable: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Brings the changes of a table into its log: all that wait are written together, and become
 * durable together. If that fails, they are undone in the table, with all that were made after
 * them.
 */
export class Committer {
  readonly #table: TaskTable;
  readonly #log: LogFile;
  readonly #compactBytes: number;
  readonly #lock: Pick<Lock, "verify">;
  readonly #onError: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #writing: readonly Waiting[] = [];
  #working: Promise<void> | undefined;
  /** Length of the log after it was rewritten last, in bytes. */
  #compacted: number;

  /** @param compactBytes - How much the log must have grown before it is rewritten. */
  constructor(
    table: TaskTable,
    log: LogFile,
    compactBytes: number,
    held: Pick<Lock, "verify">,
    onError: (error: unknown) => void,
  ) {
    this.#table = table;
    this.#log = log;
    this.#compactBytes = compactBytes;
    this.#lock = held;
    this.#onError = onError;
    this.#compacted = log.length;
  }

  /**
   * Writes changes that were made in the table.
   *
   * @param isDurable - Whether they must survive a failure of power.
   */
  commit(changes: readonly TableChange[], isDurable: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const lines = changes.map(encodeChange).join("");
      this.#waiting.push({ changes, lines, isDurable, resolve, reject });
      this.#working ??= this.#work().finally(() => {
        this.#working = undefined;
      });
    });
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.#working !== undefined) {
      await this.#working;
    }
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Further calls of this microtask queue are written in the same batch.
      await Promise.resolve();
      const batch = this.#waiting;
      this.#writing = batch;
      this.#waiting = [];
      try {
        await this.#write(batch);
      } catch (error) {
        this.#undo(error);
        continue;
      }
      this.#writing = [];
      batch.forEach(({ resolve }) => resolve());
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    await this.#lock.verify();
    if (this.#log.length > 2 * this.#compacted + this.#compactBytes) {
      // Rows do not change, so these are the rows of this moment, with the changes of the batch.
      const rows = [...this.#table.rows()];
      try {
        await this.#log.replace(linesOf(rows));
        this.#compacted = this.#log.length;
        return;
      } catch (error) {
        this.#onError(error);
        // Not again before the log has grown as much again.
        this.#compacted = this.#log.length;
      }
    }
    const isDurable = batch.some((each) => each.isDurable);
    await this.#log.append(batch.map(({ lines }) => lines).join(""), isDurable);
  }

  #undo(cause: unknown): void {
    const failed = [...this.#writing, ...this.#waiting];
    this.#writing = [];
    this.#waiting = [];
    for (const { changes } of failed.toReversed()) {
      for (const { id, before } of changes.toReversed()) {
        this.#table.put(id, before);
      }
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    for (const { reject } of failed) {
      reject(
        isTaskError(cause)
          ? cause
          : new TaskError("STORE_FAILED", `The log of tasks cannot be written: ${reason}`, { cause }),
      );
    }
  }
}

function* linesOf(rows: Parameters<typeof encodeRow>[0][]): Generator<string> {
  yield header;
  for (const row of rows) {
    yield encodeRow(row);
  }
}
