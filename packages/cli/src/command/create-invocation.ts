import { usageError } from "../exit.ts";
import type { Printer } from "../output/printer.ts";
import type { Shell } from "../shell.ts";
import type { Flags } from "./flags.ts";
import type { Invocation } from "./invocation.ts";
import type { ParsedLine } from "./parse.ts";

/**
 * One run of the command that a line calls.
 *
 * @param onEnd - Collects functions for the end of the run.
 */
export function createInvocation(
  shell: Shell,
  flags: Flags,
  printer: Printer,
  { operands, rest, program }: ParsedLine,
  path: string,
  onEnd: Invocation["onEnd"],
): Invocation {
  return {
    shell,
    flags,
    printer,
    signal: shell.signal,
    rest,
    program,
    onEnd,
    operand: (name) => operands.get(name),
    required(name) {
      const value = operands.get(name);
      if (value === undefined) {
        throw usageError(`tenon ${path} needs <${name}>.`, `tenon ${path} --help`);
      }
      return value;
    },
  };
}
