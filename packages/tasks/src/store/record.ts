/**
 * The state of a task. `completed`, `failed` and `cancelled` are final. An unfinished task changes
 * between `working` and `input_required`, or to a final state.
 */
export type TaskState = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Whether a state is final: `completed`, `failed` or `cancelled`. */
export function isFinal(state: TaskState): boolean {
  return state !== "working" && state !== "input_required";
}

/** JSON as text. Stores neither parse nor change it. */
export type JsonText = string;

/**
 * A task as a store keeps it. Values of users are JSON text, which a store does not read.
 */
export interface TaskRecord {
  /** Unguessable, made by the engine. */
  readonly id: string;
  /** 1 at creation. Each `update` adds 1; leases do not change it. */
  readonly version: number;
  /** The owner of the task; `""` if any caller that knows the ID may use it. */
  readonly principal: string;
  /** Name of the definition that runs the task. */
  readonly name: string;
  /** Version of the definition at creation. */
  readonly definitionVersion: string;
  /**
   * True if no worker runs the task, because another system does. Such a task cannot be claimed.
   */
  readonly external: boolean;
  /** The arguments of the run. */
  readonly arguments: JsonText;
  /** Further facts of the creator of the task. */
  readonly data: JsonText;
  readonly state: TaskState;
  readonly statusMessage: string | undefined;
  /** The newest progress. */
  readonly progress: JsonText | undefined;
  /** The input requests without a response, by key. Empty unless the state is `input_required`. */
  readonly questions: Readonly<Record<string, JsonText>>;
  /** Present if and only if the state is final: a `TaskOutcome`. */
  readonly outcome: JsonText | undefined;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly createdAt: number;
  /** Time of the last `update`, as `createdAt`. Never goes backwards. */
  readonly updatedAt: number;
  /** Lifetime in milliseconds from `createdAt`; `null` if it is unlimited. */
  readonly ttlMs: number | null;
  /** End of the lifetime, as `createdAt`; `null` if it is unlimited. */
  readonly expiresAt: number | null;
  /** Suggested time between two polls, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Whether cancellation was requested. It ends soon, possibly in another state. */
  readonly cancelRequested: boolean;
  /** How many runs in a row began since the task was created or last parked. */
  readonly attempt: number;
  /** How many such runs there may be before the task fails as interrupted. */
  readonly maxAttempts: number;
  /** Grows with each lease. Only the holder of the newest lease may write as a worker. */
  readonly fence: number;
  /** The holder of the lease; `undefined` if there is none. */
  readonly worker: string | undefined;
  /** End of the lease, as `createdAt`; 0 without a lease. */
  readonly leaseUntil: number;
}

/**
 * The part of a record that the creator of a task determines. The store determines the rest of
 * {@link TaskRecord}.
 */
export type NewTask = Pick<
  TaskRecord,
  | "id"
  | "principal"
  | "name"
  | "definitionVersion"
  | "external"
  | "arguments"
  | "data"
  | "state"
  | "statusMessage"
  | "questions"
  | "outcome"
  | "ttlMs"
  | "pollIntervalMs"
  | "maxAttempts"
>;

/** A change of a task. A missing or `undefined` property changes nothing. */
export interface TaskPatch {
  readonly state?: TaskState | undefined;
  readonly statusMessage?: string | undefined;
  readonly progress?: JsonText | undefined;
  /** Replaces all input requests. */
  readonly questions?: Readonly<Record<string, JsonText>> | undefined;
  /** Required by, and only allowed with, a final `state`. */
  readonly outcome?: JsonText | undefined;
  /** Also changes `expiresAt`. */
  readonly ttlMs?: number | null | undefined;
  /** How long the task is kept at least, from now, in milliseconds. May extend `expiresAt`. */
  readonly retainMs?: number | undefined;
  readonly pollIntervalMs?: number | undefined;
  readonly cancelRequested?: boolean | undefined;
  readonly attempt?: number | undefined;
  /** Ends the lease of a task that stays `working`. In any other state it ends by itself. */
  readonly release?: boolean | undefined;
}

/** Something that a further run of a task does not do again. */
export interface JournalEntry {
  readonly kind: "step" | "answer";
  /** Name of the step, or key of the input request. Unique in the journal for its kind. */
  readonly key: string;
  readonly value: JsonText;
}
