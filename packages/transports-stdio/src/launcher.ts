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

/**
 * Starts processes with `node:child_process`: no shell, unmodified arguments, Windows scripts found
 * by their extension, and on POSIX a separate process group, so that the whole tree can be ended.
 *
 * When this process exits, those groups get `SIGTERM`. If an unhandled signal ends this process,
 * they get no signal, and Ctrl+C in a terminal does not reach them. Child processes that ignore the
 * end of their input then continue to run. If you start such commands, handle `SIGINT` and
 * `SIGTERM` and close the connections.
 */
export const nodeLauncher: ProcessLauncher = {
  async launch(request) {
    // A server on standard input and output starts no process, and should not wait for what starts
    // them.
    const { spawnProcess } = await import("./spawn.lazy.ts");
    return spawnProcess(request);
  },
};
