import { relative, resolve, sep } from "node:path";

import { isUrl } from "./read-source.ts";
import { isRevisionName } from "./repository.ts";

/** The operand and options that decide what `generate` writes, as given on the command line. */
export interface Generation {
  readonly operand: string;
  readonly out: string;
  readonly schema?: string | undefined;
}

/**
 * A path as messages and generated files show it: relative to the working directory, with `/`,
 * without `./` and without a `/` at the end. So each spelling of a path is shown in the same way.
 */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, resolve(cwd, path)).split(sep).join("/");
  return shown === "" ? "." : shown;
}

/** The command that generates the modules again. It is the same for each spelling of its paths. */
export function commandOf({ operand, out, schema }: Generation, cwd: string): string {
  const words = [
    isRevisionName(operand) || isUrl(operand) ? operand : shownPath(operand, cwd),
    "--out",
    shownPath(out, cwd),
    ...(schema === undefined ? [] : ["--schema", shownPath(schema, cwd)]),
  ];
  return `npx @tenon/codegen generate ${words.map(quoted).join(" ")}`;
}

/** A word of a command line, in quotation marks if a shell would read its characters. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
