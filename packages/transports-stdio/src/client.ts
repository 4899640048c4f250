import { checkOptionNames, readLimits, type ResolvedLimits } from "@tenon/base";
import {
  connectionClosed,
  isLocalError,
  type Connection,
  type ConnectOptions,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf, writeAccepted } from "@tenon/jsonrpc2/transport";

import { checkCommand } from "./check-command.ts";
import { allowedEnvironment, mergeEnvironments } from "./environment.ts";
import type { ExitStatus, LaunchedProcess, LaunchRequest, ProcessLauncher } from "./launcher.ts";
import { commandLimits, type CommandLimits } from "./limits.ts";
import { nodeLauncher } from "./node-launcher.ts";
import { settledWithin } from "./settled-within.ts";
import { gracefulShutdown, shutDown, type ShutdownStep } from "./shutdown.ts";
import { createSink } from "./sink.ts";
import { createSource } from "./source.ts";
import { watchStandardError } from "./standard-error.ts";
import { StrayAnswers } from "./stray-answers.ts";

export { allowedEnvironment } from "./environment.ts";
export type { ExitStatus, LaunchedProcess, LaunchRequest, ProcessLauncher } from "./launcher.ts";
export type { CommandLimits } from "./limits.ts";
export { nodeLauncher } from "./node-launcher.ts";
export { gracefulShutdown, interruptShutdown, type ShutdownStep } from "./shutdown.ts";

/** Options of {@link CommandTransport}. */
export interface CommandOptions {
  /** The program: a path, or a name to be found on `PATH`. No shell is involved. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Its working directory. Default: this process's. */
  readonly cwd?: string | undefined;
  /** Variables to set, in addition to what `inheritEnv` passes on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * `"allowed"` (the default): `PATH`, home, locale and the like, see `allowedEnvironment`.
   * `"all"`: everything. `"none"`: only `env`.
   */
  readonly inheritEnv?: "allowed" | "all" | "none" | undefined;
  /**
   * The destination of the child process's standard error, which is never parsed: the standard
   * error of this process, none, or a function that is called with each line (its errors are
   * ignored). In every mode but `"inherit"`, the error of a failed child process quotes the last
   * lines. Default: `"inherit"`.
   *
   * @source S-231, R-255
   */
  readonly stderr?: "inherit" | "ignore" | ((line: string) => void) | undefined;
  /** The steps that end the child process. Default: {@link gracefulShutdown}. */
  readonly shutdown?: readonly ShutdownStep[] | undefined;
  /**
   * Limits of received and written messages. A line is a message. Each limit has its own default.
   */
  readonly limits?: CommandLimits | undefined;
  /** Starts the process. Default `nodeLauncher`. */
  readonly launcher?: ProcessLauncher | undefined;
}

/** A connection to a child process. */
export interface CommandConnection extends Connection {
  /** The child's process id. */
  readonly pid: number | undefined;
  /** Resolves when the child has ended. Never rejects. @source S-221 */
  readonly exited: Promise<ExitStatus>;
  /** False once the child has ended. @source S-220 */
  readonly alive: boolean;
}

/**
 * Time in which output may still arrive after the child process has exited: a descendant may hold
 * the pipe open indefinitely.
 */
const drainMs = 250;
const maxNoiseLength = 200;

/**
 * Connects to a server that runs as a child process. Messages are exchanged over its standard input
 * and output, one per line. Each `connect` starts a process. `close` ends it and its descendants,
 * see {@link CommandOptions.shutdown}.
 *
 * Other output of the child process is ignored. If a call then times out, or the child process
 * exits, the error quotes its first line. If other output precedes a response on the same line, the
 * call fails with `INVALID_STATE` after a second, unless its response is also sent on its own line.
 *
 * If the child process exits with code 0, the connection ends normally after its last lines.
 * Otherwise reading rejects with `CONNECTION_CLOSED` and a message that contains the code or
 * signal.
 *
 * @example await client.connect(new CommandTransport({ command: "node", args: ["server.js"] }));
 *
 * @source S-017
 */
export class CommandTransport implements Transport {
  readonly #options: CommandOptions;
  readonly #limits: ResolvedLimits<CommandLimits>;

  /**
   * Does not start the command yet.
   *
   * @throws `TypeError` for options that do not exist or are out of range.
   */
  constructor(options: CommandOptions) {
    checkOptionNames(
      "new CommandTransport",
      options,
      "command args:array cwd env:object inheritEnv stderr shutdown limits launcher:object",
      commandLimits,
    );
    checkCommand("new CommandTransport", options);
    this.#options = options;
    this.#limits = readLimits(options.limits, commandLimits);
  }

  /**
   * @throws `LocalError` `CONNECTION_CLOSED` if the program cannot be started, with the reason as
   *   `cause`.
   */
  async connect({ signal }: ConnectOptions = {}): Promise<CommandConnection> {
    signal?.throwIfAborted();
    const { command, args = [], cwd, env = {}, inheritEnv = "allowed", stderr = "inherit" } = this.#options;
    const launcher = this.#options.launcher ?? nodeLauncher;
    const request: LaunchRequest = {
      command,
      args,
      cwd,
      env: mergeEnvironments(inherited(inheritEnv), env),
      stderr: stderr === "inherit" ? "inherit" : "pipe",
    };
    return this.#connectionTo(await launch(launcher, request, signal));
  }

  #connectionTo(child: LaunchedProcess): CommandConnection {
    const { command, stderr, shutdown = gracefulShutdown } = this.#options;
    const source = createSource(child.stdout);
    const sink = createSink(child.stdin, this.#limits.maxBufferedBytes);
    const said = watchStandardError(child.stderr, typeof stderr === "function" ? stderr : undefined);
    let status: ExitStatus | undefined;
    let closing = false;
    /** Whether it has written nothing. */
    let isSilent = true;
    /** Output that is not a message. */
    let noise: string | undefined;
    let begin = (): void => {};
    const started = new Promise<void>((resolve) => void (begin = resolve));
    void child.exited.then((exit) => {
      status = exit;
      sink.end();
      source.expectEnd(drainMs);
      return exit;
    });
    let ending: Promise<unknown> | undefined;
    let lastWords: Promise<unknown> | undefined;
    /**
     * Rejects with how the program ended. Its end may be known a moment later than the end of its
     * input, and its last words may still be in the pipe. Each is awaited once, because the program
     * may live on, and a descendant may keep the pipe open.
     */
    async function refused(error: unknown): Promise<never> {
      if (!closing && isLocalError(error, "CONNECTION_CLOSED")) {
        ending ??= settledWithin(child.exited, drainMs);
        await ending;
        if (status !== undefined && !closing) {
          lastWords ??= settledWithin(said.ended, drainMs);
          await lastWords;
          if (!closing) {
            throw connectionClosed(describe(command, status, said.tail, noise), { cause: error });
          }
        }
      }
      throw error;
    }
    const lines = ndjsonConnection(
      {
        async read() {
          const chunk = await source.read();
          begin();
          isSilent &&= chunk === undefined;
          if (chunk === undefined && !closing) {
            // The end of its output is the end of the conversation. The process may still be
            // exiting.
            await settledWithin(child.exited, drainMs);
            // A command that has sent no message is not a server, even if it exits with 0.
            const isNoServer = isSilent || (noise !== undefined && !strays.heard);
            if (status !== undefined && (status.code !== 0 || isNoServer)) {
              // Its last words may still be in the pipe. A descendant may keep the pipe open.
              await settledWithin(said.ended, drainMs);
              throw connectionClosed(describe(command, status, said.tail, noise));
            }
          }
          return chunk;
        },
        write(text) {
          const written = sink.write(text);
          return written === writeAccepted ? written : written.catch(refused);
        },
        async close() {
          closing = true;
          source.end();
          // The output is discarded, but must be read: a child process that cannot write does not
          // exit.
          child.stdout.resume();
          void sink.flush();
          await shutDown(child, shutdown);
          sink.end();
          discard(child);
        },
        onMalformed(line) {
          noise ??= describeNoise(command, line);
        },
      },
      decodeLimitsOf(this.#limits),
    );
    const strays = new StrayAnswers(
      () => lines.read(),
      () => noise,
    );
    const connection: Connection = {
      network: { transport: "pipe" },
      started,
      read: () => strays.read(),
      get diagnosis() {
        return status === undefined || closing ? noise : describe(command, status, said.tail, noise);
      },
      write: (message, options) => lines.write(message, options),
      close(reason) {
        strays.end();
        return lines.close(reason);
      },
      [Symbol.asyncDispose]: () => connection.close(),
    };
    return Object.defineProperties(connection, {
      pid: { value: child.pid, enumerable: true },
      exited: { value: child.exited, enumerable: true },
      alive: { get: () => status === undefined, enumerable: true },
    }) as CommandConnection;
  }
}

function inherited(mode: "allowed" | "all" | "none"): Record<string, string> {
  switch (mode) {
    case "allowed":
      return allowedEnvironment();
    case "all":
      return process.env as Record<string, string>;
    case "none":
      return {};
  }
}

/** A command is not split into words, because paths contain spaces. */
function notStarted(command: string, cause: unknown): Error {
  const advice = /\s/.test(command) ? " Put arguments into args." : "";
  return connectionClosed(`The program ${JSON.stringify(command)} could not be started.${advice}`, { cause });
}

/**
 * Starts the process, unless the signal fires first. If the signal fires during the start, the
 * process is then ended.
 */
async function launch(
  launcher: ProcessLauncher,
  request: LaunchRequest,
  signal: AbortSignal | undefined,
): Promise<LaunchedProcess> {
  const launching = (async () => launcher.launch(request))();
  let onAbort: () => void = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal?.addEventListener("abort", onAbort);
  });
  try {
    const child = await Promise.race([launching, aborted]);
    if (child !== undefined && signal?.aborted !== true) {
      return child;
    }
  } catch (cause) {
    throw notStarted(request.command, cause);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
  void abandon(launching);
  throw signal?.reason;
}

async function abandon(launching: Promise<LaunchedProcess>): Promise<void> {
  try {
    const child = await launching;
    child.kill("SIGKILL");
    discard(child);
  } catch {
    // It never started, so there is nothing to end.
  }
}

/** Closes this process's ends of the pipes, because a descendant may hold the other ends open. */
function discard({ stdin, stdout, stderr }: LaunchedProcess): void {
  for (const stream of [stdin, stdout, stderr]) {
    stream?.on("error", () => {});
    stream?.destroy();
  }
}

function describe(
  command: string,
  { code, signal }: ExitStatus,
  tail: readonly string[],
  noise: string | undefined,
): string {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const printed = noise === undefined ? "" : ` ${noise}`;
  const lines = tail.length === 0 ? "" : ` Its last words:\n${tail.join("\n")}`;
  return `The program ${JSON.stringify(command)} ended ${how}.${printed}${lines}`;
}

/** Names a line of standard output that is not a message. */
function describeNoise(command: string, line: string): string {
  const start = line
    .slice(0, maxNoiseLength)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  const text = JSON.stringify(line.length > maxNoiseLength ? `${start}…` : start);
  return `The command ${JSON.stringify(command)} wrote text that is not JSON-RPC to standard output: ${text}. Log to standard error instead.`;
}
