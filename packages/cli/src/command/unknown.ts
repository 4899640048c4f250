import { redactTarget } from "@tenon/http/redact";

import { usageError, type CliError } from "../exit.ts";
import { nearest } from "./nearest.ts";
import { shellWord } from "./shell-word.ts";
import type { CommandGroup, CommandSpec } from "./spec.ts";

/**
 * The line that a line without a known command means: a target alone, or a program after `--`,
 * means the command `explore`.
 *
 * @param path - The commands that are known.
 * @throws `CliError` for any other line, with the nearest one that is right.
 */
export function meantLine(
  argv: readonly string[],
  path: string,
  groups: readonly CommandGroup[],
): readonly string[] {
  const [first = "", second] = argv;
  if (path === "" && first === "--") {
    return ["explore", ...argv];
  }
  if (path !== "" || !looksLikeTarget(first)) {
    throw unknownCommand(argv, path, groups);
  }
  if (second === undefined || second.startsWith("-")) {
    return ["explore", ...argv];
  }
  const isCommand = groups.some(({ commands }) => commands.some(({ name }) => name === second));
  const target = redactTarget(first) === first ? shellWord(first) : "<target>";
  throw usageError(
    "Expected a command as the first word, and then its target.",
    isCommand ? `tenon ${second} ${target}` : `tenon call ${target} ${shellWord(second)}`,
  );
}

/** Whether a word in the place of a command is a URL, an `@name` or a file, and no name. */
function looksLikeTarget(word: string): boolean {
  return /^(?:[a-z][a-z+]*:\/\/|@|\.{0,2}\/)|\.(?:[cm]?[jt]s|jsonl|mcpb|dxt)$/i.test(word);
}

function unknownCommand(argv: readonly string[], path: string, groups: readonly CommandGroup[]): CliError {
  const all: readonly CommandSpec[] = groups.flatMap(({ commands }) => commands);
  const level = path
    .split(" ")
    .reduce((commands, name) => commands.find((command) => command.name === name)?.commands ?? commands, all);
  const word = argv[path === "" ? 0 : path.split(" ").length] ?? "";
  const names = level.map(({ name }) => name);
  const near = nearest(word, names);
  const prefix = path === "" ? "tenon" : `tenon ${path}`;
  const isAlone =
    path === "" && /^\w[\w.-]*$/.test(word) && argv.slice(1).every((each) => each.startsWith("-"));
  const explores = isAlone ? `tenon explore ${shellWord(word)} if it is the name of a server, or ` : "";
  return usageError(
    `${prefix} has no command ${JSON.stringify(word)}.${path === "" ? "" : ` It has ${names.join(", ")}.`}`,
    near === undefined ? `${explores}${prefix} --help` : `${prefix} ${near}`,
  );
}
