import { once } from "node:events";
import { constants } from "node:os";
import type { Writable } from "node:stream";

import { systemClock } from "@tenon/base";
import type { StdioSpec } from "@tenon/host";
import { createRecorder } from "@tenon/testing/cassette";
import { nodeLauncher, type ExitStatus, type LaunchedProcess } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { createLineReader } from "./lines.ts";
import { createObserver, type Observer } from "./observed.ts";
import type { Recording } from "./recording.ts";

/** How long output may pause after the program has ended, in milliseconds. */
const pauseMs = 250;
/** Time between `SIGTERM` and `SIGKILL` after an interruption, in milliseconds. */
const graceMs = 2000;

/**
 * Passes every byte between the host and a program, and records the messages in them. The program
 * gets the environment of this process and its standard error.
 *
 * @returns The exit code of the program.
 * @throws `CliError` if the program cannot be started.
 */
export async function tapProgram(
  invocation: Invocation,
  spec: StdioSpec,
  recording: Recording,
): Promise<number> {
  const { printer, shell, signal } = invocation;
  const child = await launch(invocation, spec);
  const connection = createRecorder(recording.sink, recording.options).connect();
  const observer = createObserver(connection, printer.note);
  const kill = (): void => {
    child.kill("SIGTERM");
    systemClock.setTimeout(() => child.kill("SIGKILL"), graceMs, true);
  };
  signal.addEventListener("abort", kill);
  // The program may end before it has read everything.
  child.stdin.on("error", () => {});
  void pump({ dir: "write", from: shell.stdin, to: child.stdin, observer, recording })
    .catch(() => {})
    .then(() => child.stdin.end());
  try {
    const output = pump({
      dir: "read",
      from: untilPause(child),
      to: shell.stdout as Writable,
      observer,
      recording,
    });
    await output;
    return exitCodeOf(await child.exited);
  } finally {
    signal.removeEventListener("abort", kill);
    connection.end();
  }
}

async function launch({ shell }: Invocation, spec: StdioSpec): Promise<LaunchedProcess> {
  const { command, args = [], cwd = shell.cwd, env = {} } = spec;
  const inherited = Object.entries(shell.env).filter(([, value]) => value !== undefined);
  try {
    return await nodeLauncher.launch({
      command,
      args,
      cwd,
      env: { ...(Object.fromEntries(inherited) as Record<string, string>), ...env },
      stderr: "inherit",
    });
  } catch (cause) {
    throw new CliError("connection", `The program ${JSON.stringify(command)} could not be started.`, {
      hint: "run `tenon doctor` with the same target; it names the cause and a fix",
      cause,
    });
  }
}

interface Direction {
  readonly dir: "read" | "write";
  readonly from: AsyncIterable<Uint8Array>;
  readonly to: Writable;
  readonly observer: Observer;
  readonly recording: Recording;
}

/** Passes bytes as they come, and then lets the observer see them. */
async function pump({ dir, from, to, observer, recording }: Direction): Promise<void> {
  const lines = createLineReader((incoming, text) => observer.see(dir, incoming, text));
  for await (const chunk of from) {
    const isAccepted = to.write(chunk);
    await lines.push(chunk);
    if (!isAccepted && to.writableNeedDrain) {
      await Promise.race([once(to, "drain"), once(to, "close")]);
    }
    await recording.busy;
  }
  await lines.end();
}

/**
 * The output of a program. After its end, a descendant may hold the pipe open: a pause then ends
 * the output.
 */
async function* untilPause({ stdout, exited }: LaunchedProcess): AsyncGenerator<Uint8Array> {
  let timer: unknown;
  let hasExited = false;
  const wait = (): void => {
    systemClock.clearTimeout(timer);
    timer = hasExited ? systemClock.setTimeout(() => stdout.destroy(), pauseMs, true) : undefined;
  };
  void exited.then(() => {
    hasExited = true;
    wait();
  });
  try {
    for await (const chunk of stdout) {
      wait();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    if (!hasExited) {
      throw error;
    }
  } finally {
    systemClock.clearTimeout(timer);
  }
}

/** As a shell reports it: the number of a signal is added to 128. */
function exitCodeOf({ code, signal }: ExitStatus): number {
  return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
