import type { Readable } from "node:stream";

/** A stream that text is written to. */
export interface Output {
  write(text: string | Uint8Array): unknown;
  /** Whether a terminal shows it. */
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal. */
  readonly columns?: number | undefined;
}

/** The process in which the commands run. Tests pass their own. */
export interface Shell {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The home directory of the user. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The version of this package. */
  readonly version: string;
  /** The program and its arguments that start this command line again. */
  readonly self: readonly [string, ...string[]];
  /** Aborts at the first interruption, with an {@link Interrupted} as its reason. */
  readonly signal: AbortSignal;
}

/** The reason of the signal after an interruption. */
export class Interrupted extends Error {
  constructor() {
    super("Interrupted.");
    this.name = "Interrupted";
  }
}

/** Columns of a terminal that shows prompts. In fewer columns, words and styles are broken. */
const minColumns = 20;

/** Returns whether a person can be prompted: the terminal is wide enough and moves its cursor. */
export function isInteractive(shell: Shell): boolean {
  const { env, stderr } = shell;
  return isAtTerminal(shell) && env["TERM"] !== "dumb" && (stderr.columns ?? minColumns) >= minColumns;
}

/** Returns whether a person is at the terminal. A job of a build service has no person. */
export function isAtTerminal({ stdin, stderr, env }: Shell): boolean {
  const isJob = env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
  return stdin.isTTY === true && stderr.isTTY === true && !isJob;
}
