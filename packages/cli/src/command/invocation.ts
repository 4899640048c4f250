import type { Printer } from "../output/printer.ts";
import type { Shell } from "../shell.ts";
import type { Flags } from "./flags.ts";

/** One run of a command. */
export interface Invocation {
  readonly shell: Shell;
  readonly flags: Flags;
  readonly printer: Printer;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** An operand by its name. */
  operand(name: string): string | undefined;
  /** An operand that the command needs. @throws `CliError` if it is missing. */
  required(name: string): string;
  /** The operands after the named ones. */
  readonly rest: readonly string[];
  /** The words after `--`: a program and its arguments. */
  readonly program: readonly string[] | undefined;
  /**
   * Whether this only completes a command line: the user waits for it at each press of the key, and
   * cannot unlock a keychain.
   */
  readonly isCompletion?: boolean | undefined;
  /** The environment variables that name proxies. Default: the variables of this process. */
  readonly proxies?: Shell["env"] | undefined;
  /** Has a function called when the command has ended, even if it failed, and waits for it. */
  onEnd(end: () => void | Promise<void>): void;
}
