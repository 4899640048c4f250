import { readFile } from "node:fs/promises";

import type { Tool } from "@tenon/protocol";
import { diffDefinitions, type Definitions } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { reportChanges } from "../session/changes.ts";
import { parseDefinitions } from "./definitions-constant.ts";

/** A file that was written from the tools of a server. */
export interface WrittenFile {
  readonly path: string;
  /** The text that the tools give now. */
  readonly text: string;
  readonly tools: readonly Tool[];
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
  { path, text, tools, head }: WrittenFile,
): Promise<number> {
  const written = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CliError("usage", `${path} cannot be read.`, { hint: "without --check it is written", cause });
  });
  // Editors and version control may change the ends of lines.
  if (written.replaceAll("\r\n", "\n") === text) {
    return reportChanges(invocation, []);
  }
  const before = parseDefinitions(written, head);
  const changes = before === undefined ? [] : diffDefinitions(onlyTools(before), onlyTools(tools));
  if (changes.length > 0) {
    return reportChanges(invocation, changes);
  }
  throw new CliError("drift", `${path} is not what the tools of the server give.`, {
    hint: "write it again without --check",
  });
}

function onlyTools(tools: readonly Tool[]): Definitions {
  return { tools, prompts: [], resources: [], resourceTemplates: [] };
}
