import { redactTarget } from "@tenon/http/redact";

import { usageError, type CliError } from "../exit.ts";
import { nearest } from "./nearest.ts";
import type { CommandGroup } from "./spec.ts";
import type { CommandSpec } from "./spec.ts";

/** The error of a command that does not exist, with the nearest one that does. */
export function unknownCommand(
  argv: readonly string[],
  path: string,
  groups: readonly CommandGroup[],
): CliError {
  const all: readonly CommandSpec[] = groups.flatMap(({ commands }) => commands);
  const level = path
    .split(" ")
    .reduce((commands, name) => commands.find((command) => command.name === name)?.commands ?? commands, all);
  const word = argv[path === "" ? 0 : path.split(" ").length] ?? "";
  const names = level.map(({ name }) => name);
  const near = nearest(word, names);
  // A person who starts with the server means: show it to me.
  const isTarget = path === "" && /^(?:[a-z][a-z+]*:\/\/|@|\.{0,2}\/)|\.(?:[cm]?[jt]s|jsonl)$/i.test(word);
  const prefix = path === "" ? "tenon" : `tenon ${path}`;
  return usageError(
    `${prefix} has no command ${JSON.stringify(word)}.${path === "" ? "" : ` It has ${names.join(", ")}.`}`,
    isTarget
      ? `tenon list ${redactTarget(word) === word ? word : "<target>"}`
      : near === undefined
        ? `${prefix} --help`
        : `${prefix} ${near}`,
  );
}
