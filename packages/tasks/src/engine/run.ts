import { codeOf } from "@tenon/base";

import { TaskError } from "../error.ts";
import { isFinal, type JournalEntry, type TaskPatch, type TaskRecord } from "../store/record.ts";
import type { AskOptions, TaskContext } from "./context.ts";
import { statusPatch } from "./external.ts";
import { fromText, toText, undefinedText } from "./json.ts";
import { checkName } from "./names.ts";
import { RunJournal } from "./run-journal.ts";
import type { Setting } from "./setting.ts";
import { StatusLine } from "./status-line.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** The end of a run. `lost`: another writer has ended the task, or another worker runs it. */
export type RunEnd =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "parked"; readonly questions: Readonly<Record<string, string>> }
  | { readonly kind: "cancelled" | "released" | "lost" };

/** One run of a task, from a claim to its end. */
export class TaskRun implements TaskContext {
  readonly id: string;
  readonly principal: string;
  readonly attempt: number;
  readonly fence: number;
  readonly #setting: Setting;
  readonly #abort = new AbortController();
  readonly #journal: RunJournal;
  readonly #asked = new Map<
    string,
    { readonly text: string; readonly reject: ((reason: unknown) => void)[] }
  >();
  readonly #status: StatusLine;
  #record: TaskRecord;
  /** The writes of this run, one after the other. */
  #writes: Promise<unknown> = Promise.resolve();
  #isWriting = false;
  #runningSteps = 0;
  #turn: ReturnType<typeof setTimeout> | undefined;
  #graceTimer: unknown;
  #over: TaskError | undefined;
  #isSettled = false;
  #settle: (end: RunEnd) => void = () => undefined;

  /** @param record - As it was claimed. @param journal - Of the task. */
  constructor(setting: Setting, record: TaskRecord, journal: readonly JournalEntry[]) {
    this.id = record.id;
    this.principal = record.principal;
    this.attempt = record.attempt;
    this.fence = record.fence;
    this.#setting = setting;
    this.#record = record;
    this.#journal = new RunJournal(setting, journal);
    this.#status = new StatusLine(setting, (patch) => {
      this.write(patch).catch(setting.onError);
    });
  }

  get arguments(): unknown {
    return JSON.parse(this.#record.arguments);
  }

  get data(): unknown {
    return JSON.parse(this.#record.data);
  }

  get progress(): unknown {
    const { progress } = this.#record;
    return progress === undefined ? undefined : JSON.parse(progress);
  }

  get expiresAt(): number | null {
    return this.#record.expiresAt;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether the function has ended. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** The record as far as this run knows. */
  get record(): TaskRecord {
    return this.#record;
  }

  /**
   * Calls the function of the definition.
   *
   * @returns `end`: how the run ended, for the task. `settled`: resolves when the function has
   *   ended, which can be later.
   */
  execute(run: () => unknown): {
    readonly end: Promise<RunEnd>;
    readonly settled: Promise<void>;
  } {
    const end = new Promise<RunEnd>((resolve) => {
      this.#settle = resolve;
    });
    const settled = (async () => {
      try {
        const value = await run();
        this.#finish({ kind: "returned", value }, closedRun());
      } catch (error) {
        const { reason } = this.signal as { readonly reason?: unknown };
        const kind = codeOf(reason) === "TASK_CANCELLED" ? "cancelled" : "released";
        this.#finish(this.signal.aborted ? { kind } : { kind: "threw", error }, closedRun());
      } finally {
        this.#isSettled = true;
      }
    })();
    return { end, settled };
  }

  /** Ends the run without a result. The function continues until it reacts to the signal. */
  stop(kind: "lost" | "released" | "cancelled", reason: TaskError): void {
    this.#finish({ kind }, reason);
    this.#abort.abort(reason);
  }

  /** Aborts the signal, and ends the run if its function does not end within `graceMs`. */
  interrupt(kind: "released" | "cancelled", reason: TaskError, graceMs: number): void {
    if (this.#over === undefined && !this.signal.aborted) {
      this.#graceTimer = this.#setting.clock.setTimeout(() => this.stop(kind, reason), graceMs, true);
      this.#abort.abort(reason);
    }
  }

  /** Reads the record again after another writer has changed it. */
  async check(version: number): Promise<void> {
    if (version <= this.#record.version + (this.#isWriting ? 1 : 0) || this.#over !== undefined) {
      return;
    }
    this.#see(await this.#setting.store.get(this.id, undefined));
  }

  /**
   * Changes the record, unless the lease was lost.
   *
   * @returns Whether it was changed.
   */
  write(patch: TaskPatch): Promise<boolean> {
    const written = this.#writes.then(async () => {
      this.#isWriting = true;
      try {
        return await this.#update(patch);
      } finally {
        this.#isWriting = false;
      }
    });
    this.#writes = written.catch(() => undefined);
    return written;
  }

  /** The status that has not been written. */
  takeStatus(): TaskPatch {
    return this.#status.take();
  }

  status(message: string, progress?: unknown): void {
    if (this.#over === undefined) {
      this.#status.set(statusPatch(this.#setting, message, progress));
    }
  }

  async extend(ms: number): Promise<void> {
    this.#throwIfOver();
    const { date, limits } = this.#setting;
    const ttlMs = Math.min(date() + ms - this.#record.createdAt, limits.maxTtlMs);
    if (this.#record.ttlMs !== null && ttlMs > this.#record.ttlMs) {
      await this.write({ ttlMs: Number.isFinite(ttlMs) ? ttlMs : null });
    }
  }

  step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    return quiet(this.#step(name, run));
  }

  ask(key: string, question: unknown, options: AskOptions = {}): Promise<unknown> {
    return quiet(this.#ask(key, question, options.signal));
  }

  async #step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    this.#throwIfOver();
    this.#journal.begin(name);
    const known = this.#journal.get("step", name);
    if (known !== undefined) {
      return fromText(known) as T;
    }
    this.#runningSteps++;
    try {
      const value = await run();
      const { maxEntryLength } = this.#setting.limits;
      const text =
        value === undefined
          ? undefinedText
          : toText(value, `The result of step ${JSON.stringify(name)}`, maxEntryLength, "maxEntryLength");
      await this.#remember({ kind: "step", key: name, value: text });
      return value;
    } finally {
      this.#runningSteps--;
      if (this.#runningSteps === 0 && this.#asked.size > 0) {
        this.#endTurnSoon();
      }
    }
  }

  async #remember(entry: JournalEntry): Promise<void> {
    this.#journal.checkRoom(entry);
    // A value that other workers cannot read must not be used, so a lost lease ends the run here.
    if (!(await this.#setting.store.append(this.id, this.fence, [entry]))) {
      this.#see(await this.#setting.store.get(this.id, undefined));
      this.#throwIfOver();
      throw new TaskError("LEASE_LOST", "Cannot continue: another process runs the task.");
    }
    this.#journal.add(entry);
  }

  async #ask(key: string, question: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    this.#throwIfOver();
    signal?.throwIfAborted();
    checkName(key, "Key of an input request");
    const known = this.#journal.get("answer", key);
    if (known !== undefined) {
      return fromText(known);
    }
    const { maxEntryLength, maxQuestions, maxEntries } = this.#setting.limits;
    const text = toText(
      question,
      `The input request ${JSON.stringify(key)}`,
      maxEntryLength,
      "maxEntryLength",
    );
    const asked = this.#asked.get(key) ?? { text, reject: [] };
    this.#asked.set(key, asked);
    const entries = this.#journal.size + this.#asked.size;
    if (this.#asked.size > maxQuestions || entries > maxEntries) {
      this.#asked.delete(key);
      throw new TaskError(
        "LIMIT_EXCEEDED",
        `Too many input requests: the limits are ${maxQuestions} open ones (maxQuestions), and ${maxEntries} steps and responses (maxEntries).`,
      );
    }
    this.#endTurnSoon();
    return waitForEnd(asked.reject, signal, () => this.#asked.delete(key));
  }

  #endTurnSoon(): void {
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined;
      if (this.#runningSteps === 0 && this.#asked.size > 0) {
        const questions = Object.fromEntries([...this.#asked].map(([key, { text }]) => [key, text]));
        this.#finish(
          { kind: "parked", questions },
          new TaskError("TASK_PARKED", "Run suspended until its input requests have responses."),
        );
      }
    }, 0);
  }

  async #update(patch: TaskPatch): Promise<boolean> {
    for (;;) {
      const { version } = this.#record;
      const result = await this.#setting.store.update(this.id, patch, { version, fence: this.fence });
      if (typeof result === "object") {
        this.#record = result;
        return true;
      }
      const record = result === "gone" ? undefined : await this.#setting.store.get(this.id, undefined);
      if (!this.#see(record)) {
        return false;
      }
    }
  }

  /** Updates the known record. @returns Whether this run still has its lease. */
  #see(record: TaskRecord | undefined): boolean {
    if (
      record === undefined ||
      isFinal(record.state) ||
      record.fence !== this.fence ||
      record.worker === undefined
    ) {
      this.stop("lost", reasonOf(record, this.fence));
      return false;
    }
    this.#record = record;
    if (record.cancelRequested) {
      this.interrupt("cancelled", cancelled(), defaultGraceMs);
    }
    return true;
  }

  #finish(end: RunEnd, reason: TaskError): void {
    if (this.#over !== undefined) {
      return;
    }
    this.#over = reason;
    clearTimeout(this.#turn);
    this.#setting.clock.clearTimeout(this.#graceTimer);
    this.#settle(end);
    [...this.#asked.values()].flatMap(({ reject }) => reject).forEach((each) => each(reason));
  }

  #throwIfOver(): void {
    if (this.#over !== undefined) {
      throw this.#over;
    }
  }
}

/** How long a run may take to end after another process has asked to cancel its task. */
const defaultGraceMs = 5000;

/** The reason of a run whose task was cancelled. */
export function cancelled(): TaskError {
  return new TaskError("TASK_CANCELLED", "The task was cancelled.");
}

function closedRun(): TaskError {
  return new TaskError("INVALID_STATE", "Run has ended.");
}

function reasonOf(record: TaskRecord | undefined, fence: number): TaskError {
  if (record?.state === "cancelled") {
    return cancelled();
  }
  return record === undefined || (isFinal(record.state) && record.fence === fence)
    ? new TaskError("TASK_EXPIRED", "The task ended while it ran.")
    : new TaskError("LEASE_LOST", "Another process runs the task.");
}

/** Prevents unhandled rejections of promises that a run ignores. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
