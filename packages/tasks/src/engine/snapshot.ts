import type { TaskRecord, TaskState } from "../store/record.ts";

/** Error of a failed task, as in a JSON-RPC response. */
export interface TaskFailure {
  /** An integer. */
  readonly code: number;
  readonly message: string;
  /** Anything JSON can carry. */
  readonly data?: unknown;
}

/** The outcome of a task: `completed` with a result, `failed` or `cancelled` with an error. */
export type TaskOutcome = { readonly result: unknown } | { readonly error: TaskFailure };

/** A task at one moment. All values are copies. */
export interface TaskSnapshot {
  readonly id: string;
  /** Grows with each change. */
  readonly version: number;
  /** The owner of the task; `""` if any caller that knows the ID may use it. */
  readonly principal: string;
  /** Name of the definition. */
  readonly name: string;
  readonly definitionVersion: string;
  readonly arguments: unknown;
  /** The `data` of `start`. */
  readonly data: unknown;
  readonly state: TaskState;
  readonly statusMessage: string | undefined;
  /** The progress that the run passed to `status`. */
  readonly progress: unknown;
  /** The input requests without a response, by key. Empty unless the state is `input_required`. */
  readonly questions: Readonly<Record<string, unknown>>;
  /** Present if and only if the state is final. */
  readonly outcome: TaskOutcome | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. Never goes backwards. */
  readonly updatedAt: number;
  /** Lifetime in milliseconds from `createdAt`; `null` if it is unlimited. */
  readonly ttlMs: number | null;
  /** Suggested time between two polls, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Whether cancellation was requested. It ends soon, possibly in another state. */
  readonly cancelRequested: boolean;
}

/** Parses the parts of a record. */
export function snapshotOf(record: TaskRecord): TaskSnapshot {
  const { id, version, principal, name, definitionVersion, state, statusMessage } = record;
  const { createdAt, updatedAt, ttlMs, pollIntervalMs, cancelRequested } = record;
  return {
    id,
    version,
    principal,
    name,
    definitionVersion,
    arguments: JSON.parse(record.arguments),
    data: JSON.parse(record.data),
    state,
    statusMessage,
    progress: record.progress === undefined ? undefined : JSON.parse(record.progress),
    questions: Object.fromEntries(
      Object.entries(record.questions).map(([key, text]): [string, unknown] => [key, JSON.parse(text)]),
    ),
    outcome: record.outcome === undefined ? undefined : (JSON.parse(record.outcome) as TaskOutcome),
    createdAt,
    updatedAt,
    ttlMs,
    pollIntervalMs,
    cancelRequested,
  };
}
