import type { Readable, Writable } from "node:stream";

/** The command to start. */
export interface LaunchRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The whole environment of the new process. */
  readonly env: Readonly<Record<string, string>>;
  readonly stderr: "inherit" | "pipe";
}

/** The exit of a process: with a code, or by a signal. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process that was started. */
export interface LaunchedProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  /** Resolves when the process has ended. Never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** Sends a signal to the process and its descendants. Does nothing if they have exited. */
  kill(signal: NodeJS.Signals): void;
  /** True while the process or one of its descendants lives, as far as can be known. */
  alive(): boolean;
}

/**
 * Starts processes. Pass your own launcher if another component starts processes. Rejects if the
 * process cannot be started.
 *
 * @source S-216
 */
export interface ProcessLauncher {
  /** Starts a process; resolves when it runs. @throws Why it could not be started. */
  launch(request: LaunchRequest): Promise<LaunchedProcess>;
}
