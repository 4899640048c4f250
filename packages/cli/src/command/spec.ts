import type { Invocation } from "./invocation.ts";

/** An option of a command. */
export interface OptionSpec {
  /** Such as `--header <name: value>`. */
  readonly flags: string;
  /** One line. */
  readonly description: string;
  readonly choices?: readonly string[] | undefined;
  /** Whether it may be given several times. */
  readonly isRepeatable?: boolean | undefined;
}

/** An operand of a command. The operand `target` may be given as `-- command args…` instead. */
export interface OperandSpec {
  readonly name: string;
  readonly isOptional?: boolean | undefined;
  /** Whether the command prompts for it at a terminal. */
  readonly isAsked?: boolean | undefined;
  /** The advice for a command without it. Default: its usage. */
  readonly hint?: string | undefined;
  /** The words that it can be. */
  readonly choices?: readonly string[] | undefined;
  /** Whether it collects all further operands. */
  readonly isRest?: boolean | undefined;
  /** Whether options that the command does not have are among them, such as `--name text`. */
  readonly takesOptions?: boolean | undefined;
}

/**
 * Runs a command. Returns the exit code if it is not 0.
 *
 * @param groups - All commands, for those that describe the others.
 */
export type CommandRun = (
  invocation: Invocation,
  groups: readonly CommandGroup[],
) => Promise<number | undefined>;

/** A command, before its module is loaded. */
export interface CommandSpec {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly operands?: readonly OperandSpec[] | undefined;
  /** Options of its own. */
  readonly options?: readonly OptionSpec[] | undefined;
  /** Whether it connects to a target, and has the options of connections. */
  readonly connects?: boolean | undefined;
  /** Whether it prints values one at a time, and has `--jsonl`. */
  readonly streams?: boolean | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Whether only other commands run it. It is not listed with the commands for people. */
  readonly isInternal?: boolean | undefined;
  /** Commands below it, such as `task get`. */
  readonly commands?: readonly CommandSpec[] | undefined;
  /** Loads the command. Absent for a group of commands. */
  readonly load?: (() => Promise<{ readonly run: CommandRun }>) | undefined;
}

/** Commands with a common purpose. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}
