import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Where the programs are. */
export const fixtures: string = join(import.meta.dirname, "fixtures");

/** A program that runs until it is disposed of. */
export interface Child extends AsyncDisposable {
  /** What it has written first. */
  readonly line: string;
  /** What it has written to its standard error. */
  errors(): string;
}

// None of them is to look for updates or to leave anything behind.
const quiet = { DENO_NO_UPDATE_CHECK: "1", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };

function start(
  command: string,
  args: readonly string[],
  fd: number,
): { child: ChildProcess; errors(): string } {
  const child = spawn(command, args, {
    cwd: fixtures,
    env: { ...process.env, ...quiet },
    stdio: fd === 3 ? ["ignore", "ignore", "pipe", "pipe"] : ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors = `${errors}${chunk.toString()}`.slice(-10_000);
  });
  return { child, errors: () => errors };
}

/** Starts a program and waits for its first line, on standard output or on another descriptor. */
export async function serve(command: string, args: readonly string[], fd: 1 | 3 = 1): Promise<Child> {
  const { child, errors } = start(command, args, fd);
  const exited = once(child, "exit");
  const output = child.stdio[fd] as NodeJS.ReadableStream;
  const line = await Promise.race([
    once(createInterface(output), "line").then(([first]: string[]) => first),
    exited.then(() => undefined),
  ]);
  if (line === undefined) {
    throw new Error(`${command} ended before it had written anything: ${errors()}`);
  }
  return {
    line,
    errors,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Runs a program to its end. @returns What it has written. @throws If it fails. */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const { child, errors } = start(command, args, 1);
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) {
    throw new Error(`${command} ended with ${code}: ${errors()}`);
  }
  return text;
}
