import { table } from "../output/table.ts";
import { wrap } from "../output/width.ts";
import { connectionOptions, outputOptions, streamOptions } from "./shared-options.ts";
import type { CommandGroup, CommandSpec, OptionSpec } from "./spec.ts";
import { usageOf } from "./usage.ts";

const exits =
  "Exit codes: 0 ok, 1 failed, 2 usage, 3 no connection, 4 authorization, 5 protocol error, 6 time limit, 7 drift, 130 interrupted.";

/** The help text of the whole command line. It fits a screen of 24 lines. */
export function mainHelp(groups: readonly CommandGroup[], version: string, width: number): string {
  const columns = Math.min(width, 100);
  const rows = groups.map(({ title, commands }) => ({
    title,
    lines: wrap(
      commands.flatMap(({ name, isInternal }) => (isInternal === true ? [] : [name])).join(" "),
      columns - 13,
    ),
  }));
  return [
    `tenon ${version}: the Model Context Protocol at the command line`,
    "",
    "Usage: tenon <command> <target> [options]; tenon <target> to look around",
    "",
    ...rows.flatMap(({ title, lines }) =>
      lines.map((line, index) => `  ${(index === 0 ? title : "").padEnd(11)}${line}`),
    ),
    "",
    ...wrap(
      "Targets: a URL, a name from a configuration, -- command args…, a module that exports a Server, a recording (.jsonl), a bundle (.mcpb), or @name of a kept connection.",
      columns,
    ),
    "",
    "  tenon https://example.com/mcp      shows a server, and calls what you choose",
    "  tenon list -- npx -y @modelcontextprotocol/server-everything",
    "  tenon call https://example.com/mcp search query=tenon limit:=5 --json",
    "",
    "tenon help <command> shows a command, tenon help options what they share.",
    ...wrap(exits, columns),
    "",
  ].join("\n");
}

/** The help text of one command. */
export function commandHelp(spec: CommandSpec, path: string, width: number): string {
  const columns = Math.min(width, 100);
  const { commands = [], examples = [], options = [] } = spec;
  const below = commands.map((each) => [usageOf(each, `${path} ${each.name}`).slice(6), each.summary]);
  return [
    ...(commands.length === 0 ? [`Usage: ${usageOf(spec, path)}`] : [`Usage: tenon ${path} <command>`]),
    "",
    ...wrap(sentence(spec.summary), columns),
    ...section("", below, columns),
    ...section("", choicesOf(spec), columns),
    ...section("", rowsOf(options), columns),
    ...(examples.length === 0 ? [] : ["", ...examples.map((example) => `  ${example}`)]),
    "",
    ...wrap(sharedLine(spec), columns),
    "",
  ].join("\n");
}

/** The options that commands share. */
export function optionsHelp(width: number): string {
  const columns = Math.min(width, 100);
  return [
    ...section("Of every command:", rowsOf(outputOptions), columns).slice(1),
    ...section("Of commands that print many values:", rowsOf(streamOptions), columns),
    ...section("Of commands that connect to a target:", rowsOf(connectionOptions), columns),
    "",
  ].join("\n");
}

function choicesOf({ operands = [] }: CommandSpec): readonly (readonly string[])[] {
  return operands.flatMap(({ name, choices }) =>
    choices === undefined ? [] : [[`<${name}>`, choices.join(", ")]],
  );
}

function rowsOf(options: readonly OptionSpec[]): readonly (readonly string[])[] {
  return options.map(({ flags, description, isRepeatable }) => [
    flags,
    isRepeatable === true ? `${description}; may be repeated` : description,
  ]);
}

function section(title: string, rows: readonly (readonly string[])[], width: number): readonly string[] {
  return rows.length === 0
    ? []
    : ["", ...(title === "" ? [] : [title]), ...table(rows, { width, indent: "  ", wraps: true })];
}

function sharedLine({ connects, streams }: CommandSpec): string {
  const shared = [
    ...(connects === true ? connectionOptions : []),
    ...(streams === true ? streamOptions : []),
    ...outputOptions,
  ];
  // The opposite of an option is explained with it.
  const names = shared.map(({ flags }) => flags.split(" ")[0]).filter((name) => !name?.startsWith("--no-"));
  return `Also: ${names.join(" ")} (tenon help options).`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
