import { checkOptionNames, isRecord } from "@tenon/base";

import type { BackendState } from "../engine/definition.ts";
import { jobFailure, resultOfJob, workingJob, type JobOutcomeOptions } from "../jobs/outcome.ts";
import type { Job, JobBackend } from "../server/tool-task.ts";
import type { BullJob, BullJobData, BullQueue } from "./queue.ts";

/** Options of {@link bullTask}. */
export interface BullTaskOptions extends JobOutcomeOptions {
  /** Name of the jobs. Default: `"task"`. */
  readonly name?: string | undefined;
}

/** The members of the option `task` of a tool that {@link bullTask} makes. */
export interface BullTask {
  /** Adds the job. @returns Its ID. */
  prepare(args: unknown): Promise<string>;
  readonly backend: JobBackend;
}

/**
 * Makes calls of a tool jobs of a BullMQ queue: spread the result into the option `task` of the
 * tool. Any worker of the queue may run them.
 *
 * The data of a job is a {@link BullJobData}. A worker reports progress with `updateProgress`;
 * text, or the `message` of an object, becomes the status message. To request input, a worker
 * passes `{ questions }` to `updateProgress`, delays its job with `moveToDelayed`, and throws
 * `DelayedError`. The job waits again when a response is in its data.
 *
 * A job that no worker has is removed when its task is cancelled. The data of a running job gets
 * `isCancelled` instead, because BullMQ cannot interrupt a worker from outside. Jobs must stay in
 * the queue until their tasks have been read: give the queue no `removeOnComplete`, or one with an
 * `age` that is longer than the lifetime of the tasks.
 *
 * @param queue - A `Queue` of BullMQ. It is not closed.
 * @throws `TypeError` for options that do not exist.
 */
export function bullTask(queue: BullQueue, options: BullTaskOptions = {}): BullTask {
  checkOptionNames("bullTask", options, "name resultOf errorOf");
  const { name = "task", resultOf = resultOfJob, errorOf = () => jobFailure("The job failed") } = options;

  /** The job of a task; `undefined` if it was removed from the queue. */
  const find = (job: Job): Promise<BullJob | undefined> => queue.getJob(String(job.prepared));

  return {
    async prepare(args) {
      const jobId = crypto.randomUUID();
      await queue.add(name, { arguments: args, responses: {}, isCancelled: false }, { jobId });
      return jobId;
    },
    backend: {
      async get(task) {
        const state = await (await find(task))?.getState();
        // A job is a copy. Read after its state, it has the return value that belongs to the state.
        const job = await find(task);
        if (job === undefined || state === undefined || state === "unknown") {
          return { state: "failed", outcome: { error: jobFailure("The job is no longer in its queue") } };
        }
        switch (state) {
          case "completed":
            return { state: "completed", outcome: { result: resultOf(job.returnvalue) } };
          case "failed":
            return { state: "failed", outcome: { error: errorOf(job.failedReason ?? "") } };
          case "delayed":
            return waiting(job);
          default:
            return workingJob(job.progress);
        }
      },
      async update(task, responses) {
        const job = await find(task);
        if (job === undefined) {
          return;
        }
        const data = dataOf(job);
        await job.updateData({ ...data, responses: { ...data.responses, ...responses } });
        if ((await job.getState()) === "delayed") {
          await job.promote();
        }
      },
      async cancel(task) {
        const job = await find(task);
        if (job === undefined) {
          return;
        }
        try {
          await job.remove();
        } catch {
          // A worker has the job. BullMQ has no other way to learn that.
          await job.updateData({ ...dataOf(job), isCancelled: true });
        }
      },
    },
  };
}

/** The state of a job that waits for a time, for another attempt, or for responses. */
function waiting(job: BullJob): BackendState {
  const questions = isRecord(job.progress) ? job.progress["questions"] : undefined;
  if (!isRecord(questions)) {
    return workingJob(job.progress);
  }
  const { responses } = dataOf(job);
  const open = Object.entries(questions).filter(([key]) => !Object.hasOwn(responses, key));
  return open.length === 0
    ? workingJob(job.progress)
    : { state: "input_required", questions: Object.fromEntries(open) };
}

function dataOf({ data }: BullJob): BullJobData {
  const given = isRecord(data) ? data : {};
  const { responses } = given;
  return {
    arguments: given["arguments"],
    responses: isRecord(responses) ? responses : {},
    isCancelled: given["isCancelled"] === true,
  };
}
