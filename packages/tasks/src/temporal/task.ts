import { checkOptionNames, isRecord, readLimits, type LimitRules } from "@tenon/base";

import type { BackendState } from "../engine/definition.ts";
import { jobFailure, resultOfJob, workingJob, type JobOutcomeOptions } from "../jobs/outcome.ts";
import type { Job, JobBackend } from "../server/tool-task.ts";
import type { TemporalHandle, TemporalWorkflows } from "./client.ts";

/** The query by which a workflow returns its state: see {@link temporalTask}. */
export const stateQuery = "tenon.state";

/** The signal with which a workflow gets responses to its input requests, by key. */
export const responsesSignal = "tenon.responses";

/** Options of {@link temporalTask}. */
export interface TemporalTaskOptions extends JobOutcomeOptions {
  /** The name of the workflow. */
  readonly workflow: string;
  /** The task queue of its workers. */
  readonly taskQueue: string;
  /** Further options of `start`, such as `workflowExecutionTimeout`. */
  readonly start?: object | undefined;
  /** Limits of the calls. Each limit has its own default. */
  readonly limits?: TemporalTaskLimits | undefined;
}

/** Limits of {@link temporalTask}. */
export interface TemporalTaskLimits {
  /**
   * Maximum time to wait for the state of a running workflow, in milliseconds. Without a worker,
   * no state comes. Above the limit, the task is working. Default: `2_000`.
   */
  readonly queryTimeoutMs?: number | undefined;
}

/** The part of the option `task` of a tool by which its calls become workflows. */
export interface TemporalTask {
  /** Starts the workflow. @returns Its ID. */
  prepare(args: unknown): Promise<string>;
  readonly backend: JobBackend;
}

const limitRules: LimitRules<TemporalTaskLimits> = { queryTimeoutMs: [2_000, 1] };

/**
 * Makes calls of a tool workflows of Temporal: spread the result into the option `task` of the
 * tool. Any worker of the task queue may run them.
 *
 * The argument of the workflow is the arguments of the tool. A workflow may handle the query
 * `tenon.state`: text, or the `message` of an object, becomes the status message, and `questions`
 * are its open input requests by key. The signal `tenon.responses` brings responses by key. The
 * same response can come twice. The workflow must no longer return an input request that has one.
 *
 * When a task is cancelled, its workflow gets a cancellation. Workflows must be kept until their
 * tasks have been read: the retention period of the namespace must be longer than the lifetime of
 * the tasks.
 *
 * @param workflows - `client.workflow` of a `Client` of `@temporalio/client`. It is not closed.
 * @throws `TypeError` for options that do not exist or are missing.
 */
export function temporalTask(workflows: TemporalWorkflows, options: TemporalTaskOptions): TemporalTask {
  checkOptionNames("temporalTask", options, "workflow taskQueue start limits resultOf errorOf", limitRules);
  const { workflow, taskQueue, start = {}, resultOf = resultOfJob } = options;
  const { errorOf = () => jobFailure("The job failed") } = options;
  const { queryTimeoutMs } = readLimits(options.limits, limitRules);
  for (const [name, value] of Object.entries({ workflow, taskQueue })) {
    if (typeof value !== "string" || value === "") {
      throw new TypeError(`${name} must be a string that is not empty; got ${JSON.stringify(value)}.`);
    }
  }
  const handleOf = (job: Job): TemporalHandle => workflows.getHandle(String(job.prepared));

  async function stateOf(job: Job): Promise<BackendState> {
    const handle = workflows.getHandle(String(job.prepared));
    const status = await handle.describe().then(({ status: { name } }) => name, unlessUnknown);
    switch (status) {
      case undefined:
        return { state: "failed", outcome: { error: jobFailure("The workflow no longer exists") } };
      case "COMPLETED":
        return { state: "completed", outcome: { result: resultOf(await handle.result()) } };
      case "CANCELLED":
        return { state: "cancelled" };
      case "FAILED":
      case "TERMINATED":
      case "TIMED_OUT":
        return { state: "failed", outcome: { error: errorOf(await reasonOf(handle, status)) } };
      default:
        return unfinished(await workflows.withDeadline(Date.now() + queryTimeoutMs, () => queried(handle)));
    }
  }

  return {
    async prepare(args) {
      const workflowId = crypto.randomUUID();
      await workflows.start(workflow, { ...start, workflowId, taskQueue, args: [args] });
      return workflowId;
    },
    backend: {
      get: stateOf,
      async update(job, responses) {
        // A workflow that has ended needs no responses: the next reading ends the task.
        await handleOf(job).signal(responsesSignal, responses).catch(unlessUnknown);
      },
      async cancel(job) {
        await handleOf(job).cancel().catch(unlessUnknown);
      },
    },
  };
}

/** Returns `undefined` for the error of a workflow that does not exist. @throws Any other error. */
function unlessUnknown(error: unknown): undefined {
  if (!hasName(error, "WorkflowNotFoundError")) {
    throw error;
  }
}

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

/** The number of `DEADLINE_EXCEEDED` in gRPC. */
const deadlineExceeded = 4;

/** The state by the query. It is `undefined` without the query or a worker. */
async function queried(handle: TemporalHandle): Promise<unknown> {
  try {
    return await handle.query(stateQuery);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (
      hasName(error, "QueryNotRegisteredError") ||
      (isRecord(cause) && cause["code"] === deadlineExceeded)
    ) {
      return undefined;
    }
    throw error;
  }
}

/** The state of a workflow that has not ended. */
function unfinished(reported: unknown): BackendState {
  const { questions, message } = isRecord(reported) ? reported : {};
  if (!isRecord(questions) || Object.keys(questions).length === 0) {
    return workingJob(reported);
  }
  return {
    state: "input_required",
    questions,
    ...(typeof message === "string" ? { statusMessage: message } : {}),
  };
}

/** Why a workflow failed. */
async function reasonOf(handle: TemporalHandle, status: string): Promise<string> {
  try {
    await handle.result();
  } catch (error) {
    const failure = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return failure instanceof Error ? failure.message : String(failure);
  }
  return status;
}
