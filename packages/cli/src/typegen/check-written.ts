import { readFile } from "node:fs/promises";

import type { Tool } from "@tenon/protocol";
import { diffDefinitions, type Definitions } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { CliError, exitCodes } from "../exit.ts";
import { reportChanges } from "../session/changes.ts";
import { parseDefinitions } from "./definitions-constant.ts";

/** A file that was written from the tools of a server. */
export interface WrittenFile {
  readonly path: string;
  /** The text that the tools give now. */
  readonly text: string;
  readonly tools: readonly Tool[];
  /** The command line that writes the file again. */
  readonly again: string;
  /** The beginning of its constant with the definitions. */
  readonly head: string;
}

/**
 * Compares a written file with the tools of now, and prints what changed.
 *
 * @returns The exit code: 7 if they differ as much as `--fail-on` names.
 * @throws `CliError` for a file that cannot be read, or that was changed by hand.
 */
export async function checkWritten(
  invocation: Invocation,
  { path, text, tools, head, again }: WrittenFile,
): Promise<number> {
  const written = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CliError("usage", `${path} cannot be read.`, { hint: again, cause });
  });
  // Editors and version control may change the ends of lines.
  if (written.replaceAll("\r\n", "\n") === text) {
    return reportChanges(invocation, []);
  }
  const before = parseDefinitions(written, head);
  const changes = before === undefined ? [] : diffDefinitions(onlyTools(before), onlyTools(tools));
  if (changes.length > 0) {
    const code = reportChanges(invocation, changes);
    if (code !== exitCodes.ok && invocation.printer.mode === "text") {
      invocation.printer.note(`try: ${again}`);
    }
    return code;
  }
  throw new CliError("drift", `${path} is not what the tools of the server give.`, {
    hint: again,
  });
}

/**
 * The command line that writes a file again: the target, and the options of the command that change
 * the file. Options of the connection may have secrets and are left out.
 */
export function writeAgain({ flags, operand, program }: Invocation, command: string): string {
  const target = operand("target");
  const options = ["format", "from", "out"].flatMap((name) => {
    const value = flags.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const words = [...(target === undefined ? [] : [target]), ...options];
  const after = target === undefined ? ["--", ...(program ?? [])] : [];
  return ["tenon", command, ...[...words, ...after].map(shellWord)].join(" ");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function onlyTools(tools: readonly Tool[]): Definitions {
  return { tools, prompts: [], resources: [], resourceTemplates: [] };
}
