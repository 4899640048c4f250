import { inTime } from "@tenon/base";

import { TaskError } from "../error.ts";
import type { JournalEntry, TaskPatch, TaskRecord } from "../store/record.ts";
import { change } from "./change.ts";
import type { BackendState, BackendTask, TaskBackend } from "./definition.ts";
import { toText } from "./json.ts";
import { cancellation, completion, failure } from "./outcome.ts";
import type { Setting } from "./setting.ts";

/** Maximum number of tasks whose last reading is remembered. */
const maxRemembered = 10_000;

/** Calls the systems of jobs that run tasks in place of the engine. */
export class Backends {
  readonly #setting: Setting;
  readonly #calls = new Map<string, Promise<void>>();
  /** When each task was read, the earliest first. */
  readonly #readAt = new Map<string, number>();

  /** No call is in flight at first. */
  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Brings the record of a task up to date. Never rejects. */
  refresh(record: TaskRecord, backend: TaskBackend): Promise<void> {
    const now = this.#setting.clock.now();
    const call = this.#calls.get(record.id);
    if (call !== undefined || (this.#readAt.get(record.id) ?? -Infinity) + record.pollIntervalMs > now) {
      return call ?? Promise.resolve();
    }
    this.#readAt.delete(record.id);
    this.#readAt.set(record.id, now);
    const [oldest] = this.#readAt.keys();
    if (this.#readAt.size > maxRemembered && oldest !== undefined) {
      this.#readAt.delete(oldest);
    }
    const refreshed = this.#read(record, backend)
      .catch(this.#setting.onError)
      .finally(() => this.#calls.delete(record.id));
    this.#calls.set(record.id, refreshed);
    return refreshed;
  }

  /** Calls a method of a back end. @throws `TaskError` `LIMIT_EXCEEDED` if it takes too long. */
  async call<T>(record: TaskRecord, run: (task: BackendTask) => T | Promise<T>): Promise<T> {
    const { clock, limits } = this.#setting;
    const abort = new AbortController();
    const { id, principal } = record;
    const task: BackendTask = {
      id,
      principal,
      arguments: JSON.parse(record.arguments),
      data: JSON.parse(record.data),
      signal: abort.signal,
    };
    const ms = limits.backendTimeoutMs;
    const expired = (): never => {
      const error = new TaskError(
        "LIMIT_EXCEEDED",
        `A back end took longer than ${ms} ms (backendTimeoutMs).`,
      );
      abort.abort(error);
      throw error;
    };
    return inTime(Promise.resolve(run(task)), ms, { expired, clock });
  }

  async #read(record: TaskRecord, backend: TaskBackend): Promise<void> {
    const state = await this.call(record, (task) => backend.get(task));
    const journal = state.state === "input_required" ? await this.#setting.store.journal(record.id) : [];
    await change(this.#setting, record.id, undefined, (now) => {
      const patch = this.#patchFor(state, now, journal);
      const isNew = Object.entries(patch ?? {}).some(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name as keyof TaskRecord]),
      );
      return patch === undefined || !isNew ? undefined : { patch };
    });
  }

  #patchFor(
    state: BackendState,
    { ttlMs }: TaskRecord,
    journal: readonly JournalEntry[],
  ): TaskPatch | undefined {
    const { maxEntryLength } = this.#setting.limits;
    const statusMessage =
      "statusMessage" in state && state.statusMessage !== undefined
        ? { statusMessage: state.statusMessage.slice(0, maxEntryLength) }
        : {};
    switch (state.state) {
      case "working": {
        const { progress } = state;
        const text =
          progress === undefined
            ? undefined
            : toText(progress, "The progress", maxEntryLength, "maxEntryLength");
        return {
          state: "working",
          questions: {},
          ...statusMessage,
          ...(text === undefined ? {} : { progress: text }),
        };
      }
      case "input_required": {
        const questions = questionTexts(state.questions, journal, this.#setting);
        return Object.keys(questions).length === 0
          ? undefined
          : { state: "input_required", questions, ...statusMessage };
      }
      case "completed":
      case "failed":
        return "error" in state.outcome
          ? failure(state.outcome.error, this.#setting, ttlMs)
          : completion(state.outcome.result, this.#setting, ttlMs);
      case "cancelled":
        return cancellation(ttlMs);
      default:
        throw new TypeError(
          `State of a job must be working, input_required, completed, failed or cancelled; got ${JSON.stringify((state as BackendState).state)}.`,
        );
    }
  }
}

/**
 * The input requests that have no response yet, as JSON.
 *
 * @throws `TaskError` `LIMIT_EXCEEDED` or `NOT_SERIALIZABLE`.
 */
export function questionTexts(
  questions: Readonly<Record<string, unknown>>,
  journal: readonly JournalEntry[],
  { limits }: Setting,
): Record<string, string> {
  const open = Object.entries(questions).filter(
    ([key]) => !journal.some((entry) => entry.kind === "answer" && entry.key === key),
  );
  if (open.length > limits.maxQuestions) {
    throw new TaskError(
      "LIMIT_EXCEEDED",
      `Too many input requests: the limit is ${limits.maxQuestions} open ones (maxQuestions).`,
    );
  }
  const { maxEntryLength } = limits;
  return Object.fromEntries(
    open.map(([key, question]) => [
      key,
      toText(question, `The input request ${JSON.stringify(key)}`, maxEntryLength, "maxEntryLength"),
    ]),
  );
}
