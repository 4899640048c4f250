/** The data of the jobs that `bullTask` adds. */
export interface BullJobData {
  /** The arguments of the tool. */
  readonly arguments: unknown;
  /** The responses to input requests, by key. */
  readonly responses: Readonly<Record<string, unknown>>;
  /** Whether the task was cancelled while a worker had the job. The worker should end it. */
  readonly isCancelled: boolean;
}

/** The parts of a job of BullMQ that `bullTask` uses. */
export interface BullJob {
  readonly data: unknown;
  /** The last value of `updateProgress`. */
  readonly progress: unknown;
  readonly returnvalue: unknown;
  readonly failedReason?: string | undefined;
  /** The state of the job, such as `waiting` or `completed`. */
  getState(): Promise<string>;
  /** Replaces the data of the job. */
  updateData(data: BullJobData): Promise<void>;
  /** Makes a delayed job wait for a worker. */
  promote(): Promise<void>;
  /** Removes the job. Rejects if a worker has it. */
  remove(): Promise<void>;
}

/** The parts of a `Queue` of BullMQ that `bullTask` uses. */
export interface BullQueue {
  /** Adds a job. A job with the same ID is not added again. */
  add(name: string, data: BullJobData, options: { readonly jobId: string }): Promise<unknown>;
  /** Returns a job; `undefined` if it does not exist. */
  getJob(jobId: string): Promise<BullJob | undefined>;
}
