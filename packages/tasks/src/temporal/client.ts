/** The parts of a handle of a Temporal workflow that `temporalTask` uses. */
export interface TemporalHandle {
  /** Describes the newest run of the workflow. */
  describe(): Promise<{ readonly status: { readonly name: string } }>;
  /** Queries the workflow. Rejects if no worker responds in time. */
  query(name: string): Promise<unknown>;
  /** Sends a signal to the workflow. */
  signal(name: string, responses: Readonly<Record<string, unknown>>): Promise<void>;
  /** Resolves with the result. Rejects with an error whose `cause` is the failure. */
  result(): Promise<unknown>;
  /** Requests the cancellation of the workflow. */
  cancel(): Promise<unknown>;
}

/** The parts of the `workflow` client of `@temporalio/client` that `temporalTask` uses. */
export interface TemporalWorkflows {
  /** Starts a workflow. */
  start(workflow: string, options: TemporalStart): Promise<unknown>;
  /** Returns the handle of a workflow, which need not exist. */
  getHandle(workflowId: string): TemporalHandle;
  /** Sets the deadline of the calls that a function makes, in milliseconds since 1970. */
  withDeadline<T>(deadline: number, run: () => Promise<T>): Promise<T>;
}

/** The options with which `temporalTask` starts a workflow. */
export interface TemporalStart {
  readonly workflowId: string;
  readonly taskQueue: string;
  /** The arguments of the tool, as the only argument of the workflow. */
  readonly args: [args: unknown];
}
