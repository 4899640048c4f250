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
  getState(): Promise<string>;
  updateData(data: BullJobData): Promise<void>;
  /** Makes a delayed job wait for a worker. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** The parts of a `Queue` of BullMQ that `bullTask` uses. */
export interface BullQueue {
  add(name: string, data: BullJobData, options: { readonly jobId: string }): Promise<unknown>;
  getJob(jobId: string): Promise<BullJob | undefined>;
}
