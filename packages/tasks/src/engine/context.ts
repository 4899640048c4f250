/** A run of a task, as its definition sees it. */
export interface TaskContext {
  readonly id: string;
  readonly principal: string;
  /** A copy of what `start` was given. */
  readonly arguments: unknown;
  /** A copy of the `data` of `start`. */
  readonly data: unknown;
  /** 1 in the first run. Grows if a process ended during a run; parking starts again at 1. */
  readonly attempt: number;
  /** The progress that was stored last, by an earlier run too; `undefined` if there is none. */
  readonly progress: unknown;
  /** When the task expires, in milliseconds since 1970; `null` for never. */
  readonly expiresAt: number | null;
  /**
   * Aborts with a `TaskError`: `TASK_CANCELLED`, `TASK_EXPIRED`, `LEASE_LOST`, or `CLOSED` if the
   * engine closes. The result of a run that ignores it is dropped, and after `slotGraceMs` another
   * run may take its place.
   */
  readonly signal: AbortSignal;

  /**
   * Changes the message, and optionally the progress, that readers of the task see. Written at most
   * once per `statusIntervalMs`. Of the calls between, only the last is written.
   *
   * @param progress - Plain JSON. Default: unchanged.
   */
  status(message: string, progress?: unknown): void;

  /**
   * Runs a function once for the task: its result is stored in the journal, and further runs return
   * a copy of it. If the function throws, nothing is stored. A step cannot ask input requests.
   *
   * @param name - Unique within a run: 1 to 128 characters without `#`.
   * @returns The result, when it is durable. It must be plain JSON or `undefined`.
   */
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>;

  /**
   * Requests input of the client and returns the response. If there is none yet, the run is
   * suspended one macrotask later, after running steps have ended: the promise rejects, so that
   * `finally` blocks run, and later actions of the run have no effect. The task then holds no
   * memory besides its record. When all its input requests have responses it runs again from its
   * start.
   *
   * @param key - Identifies the input request for the life of the task: 1 to 128 characters without
   *   `#`.
   * @param request - Plain JSON.
   * @param options - `signal` takes the input request back, if the run has not been suspended.
   * @returns A copy of the response.
   */
  ask(key: string, question: unknown, options?: AskOptions): Promise<unknown>;

  /**
   * Sets the lifetime of the task to end `ms` milliseconds from now, at most `maxTtlMs` after its
   * creation. It never becomes shorter.
   */
  extend(ms: number): Promise<void>;
}

/** Options of {@link TaskContext.ask}. */
export interface AskOptions {
  /** Withdraws the input request when it aborts, unless the run has been suspended. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns a context whose methods can be taken out of it, and that has nothing else of a run. */
export function contextOf(run: TaskContext): TaskContext {
  return {
    id: run.id,
    principal: run.principal,
    attempt: run.attempt,
    signal: run.signal,
    get arguments(): unknown {
      return run.arguments;
    },
    get data(): unknown {
      return run.data;
    },
    get progress(): unknown {
      return run.progress;
    },
    get expiresAt(): number | null {
      return run.expiresAt;
    },
    status: (message, progress) => run.status(message, progress),
    step: (name, each) => run.step(name, each),
    ask: (key, question, options) => run.ask(key, question, options),
    extend: (ms) => run.extend(ms),
  };
}
