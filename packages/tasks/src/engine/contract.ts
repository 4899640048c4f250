import type { TaskDefinition } from "./definition.ts";
import type {
  CancelOptions,
  CloseEngineOptions,
  ListTasksOptions,
  ResumeOptions,
  StartOptions,
} from "./options.ts";
import type { TaskFailure, TaskSnapshot } from "./snapshot.ts";

/** A page of {@link TaskEngine.list}. */
export interface TaskPage {
  /** Oldest first. */
  readonly tasks: readonly TaskSnapshot[];
  /** The cursor of the next page. Missing on the last page. */
  readonly nextCursor?: string;
}

/** The result of {@link TaskEngine.watch}. */
export interface TaskWatch extends AsyncDisposable {
  /** The IDs that exist and belong to the principal, in the order given. Others are left out. */
  readonly ids: readonly string[];
  /** Ends the watch. The listener is not called afterwards. Idempotent. */
  close(): Promise<void>;
}

/**
 * Runs tasks, and keeps what they are in a store. It knows no protocol: results, input requests and
 * responses are any JSON. Methods with a `principal` treat a task of another principal as unknown.
 */
export interface TaskEngine extends AsyncDisposable {
  /**
   * Creates a task and begins its run, or leaves it in the store until a run has ended if
   * `maxRunning` is reached.
   *
   * @returns The task as it was created, when it is durable.
   * @throws `TaskError`: `LIMIT_EXCEEDED` or `NOT_SERIALIZABLE` for the arguments, `TASK_EXISTS`
   *   for a key with other arguments, `STORE_FULL`, `STORE_FAILED`, `CLOSED`. Then no task was
   *   created.
   */
  start(options: StartOptions): Promise<TaskSnapshot>;

  /**
   * Returns a task; `undefined` if it is unknown, expired or of another principal. For a back end,
   * asks it first.
   */
  get(id: string, principal: string): Promise<TaskSnapshot | undefined>;

  /**
   * Waits until a task has ended and returns it; `undefined` as in `get`, including for a task that
   * expires during the wait.
   *
   * @param options - `signal` ends the wait; the promise rejects with `signal.reason`.
   */
  result(
    id: string,
    principal: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<TaskSnapshot | undefined>;

  /**
   * Responds to input requests of a task: all or a part. Responses to unknown keys, to input
   * requests that have a response, and to a task that has ended are ignored. With the last missing
   * response the task works again.
   *
   * @param responses - By key. Plain JSON.
   * @returns The task with the responses, when they are durable; `undefined` as in `get`.
   * @throws `TaskError`: `LIMIT_EXCEEDED` or `NOT_SERIALIZABLE` for a response; then none was
   *   stored.
   */
  update(
    id: string,
    principal: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<TaskSnapshot | undefined>;

  /**
   * Cancels a task: aborts the signal of its run and, unless there is a grace, ends it at once as
   * `cancelled`. A task that has ended does not change.
   *
   * @returns The task afterwards; `undefined` as in `get`.
   */
  cancel(id: string, principal: string, options?: CancelOptions): Promise<TaskSnapshot | undefined>;

  /**
   * Lists the tasks of a principal, oldest first. The principal `""` has no list: the page is
   * empty.
   *
   * @throws `TaskError` `INVALID_CURSOR` for a cursor that is not one of a page of this principal.
   */
  list(principal: string, options?: ListTasksOptions): Promise<TaskPage>;

  /**
   * Calls a listener with each later state of tasks. If a task changes again before the listener
   * was called, only its newest state is passed. Nothing reports that a task was deleted.
   *
   * @param listener - Its errors are reported to `onError`.
   * @throws `TaskError` `LIMIT_EXCEEDED` if too many tasks are watched (`maxWatched`).
   */
  watch(
    ids: readonly string[],
    principal: string,
    listener: (task: TaskSnapshot) => void,
  ): Promise<TaskWatch>;

  /**
   * Continues the tasks of earlier processes, and from now on all tasks of the store. A task
   * without a definition here, or whose definition has another version, fails. Call it once, at the
   * start of a process whose store outlives it. Without it, the engine runs only tasks of
   * definitions that `start` was given.
   */
  resume(options: ResumeOptions): Promise<void>;

  /** Adds or replaces a definition, for tasks that earlier processes started. */
  define(definition: TaskDefinition): void;

  /** Ends a task that another system runs. @returns False if it is unknown or has ended. */
  complete(id: string, result: unknown): Promise<boolean>;

  /** Fails a task that another system runs. @returns False if it is unknown or has ended. */
  fail(id: string, error: TaskFailure): Promise<boolean>;

  /**
   * Requests input for a task that another system runs. Keys of earlier input requests are ignored.
   *
   * @param requests - By key. Plain JSON.
   * @returns False if the task is unknown or has ended.
   */
  ask(id: string, questions: Readonly<Record<string, unknown>>): Promise<boolean>;

  /** Changes the message of a task that another system runs. @returns As `complete`. */
  status(id: string, message: string, progress?: unknown): Promise<boolean>;

  /** The responses that a task got, by key, for the system that runs it. */
  answers(id: string): Promise<Readonly<Record<string, unknown>>>;

  /**
   * Aborts the runs and waits for their end, at most `drainMs`. Their tasks stay in the store and
   * can be continued by another engine at once. Idempotent.
   */
  close(options?: CloseEngineOptions): Promise<void>;
}
