import { Command, CommanderError, Option } from "commander";

import { usageError, type CliError } from "../exit.ts";
import { connectionOptions, outputOptions, streamOptions } from "./shared-options.ts";
import { shellWord } from "./shell-word.ts";
import type { CommandSpec, OperandSpec, OptionSpec } from "./spec.ts";
import { usageOf } from "./usage.ts";

/** A command line, taken apart. */
export interface ParsedLine {
  readonly values: Readonly<Record<string, unknown>>;
  readonly operands: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
  readonly program: readonly string[] | undefined;
  readonly wantsHelp: boolean;
}

/** All options of a command. */
export function optionsOf({ options = [], connects, streams }: CommandSpec): readonly OptionSpec[] {
  return [
    ...options,
    ...(connects === true ? connectionOptions : []),
    ...(streams === true ? streamOptions : []),
    ...outputOptions,
  ];
}

/**
 * Parses the arguments of a command. The words after `--` are a program, which replaces the last
 * operand that is a target.
 *
 * @param isInteractive - Whether the command runs at a terminal, where it prompts for operands.
 * @throws `CliError` for an unknown option, a missing value, and too few or too many operands.
 */
export function parseLine(
  spec: CommandSpec,
  path: string,
  argv: readonly string[],
  isInteractive = false,
): ParsedLine {
  const dashes = argv.indexOf("--");
  const own = dashes === -1 ? argv : argv.slice(0, dashes);
  const program = dashes === -1 ? undefined : argv.slice(dashes + 1);
  if (program?.length === 0) {
    throw usageError("A program must follow --.", `tenon ${path} -- node server.js`);
  }
  const { words, values, wantsHelp } = parseOptions(spec, path, own);
  if (wantsHelp) {
    return { values, operands: new Map(), rest: [], program, wantsHelp };
  }
  return { values, program, wantsHelp, ...assign(spec, path, words, program !== undefined, isInteractive) };
}

/**
 * Separates options from other words. @throws `CliError` for an unknown option, and for an option
 * without its value.
 */
export function parseOptions(
  spec: CommandSpec,
  path: string,
  argv: readonly string[],
): { words: readonly string[]; values: Record<string, unknown>; wantsHelp: boolean } {
  const command = new Command(path)
    .helpOption(false)
    .exitOverride()
    .allowExcessArguments()
    .argument("[words...]")
    .allowUnknownOption(spec.operands?.some(({ takesOptions }) => takesOptions === true) === true)
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const named = optionsOf(spec).map((option) => ({ option, made: makeOption(option) }));
  for (const { made } of named) {
    command.addOption(made);
  }
  command.option("-h, --help");
  try {
    command.parse([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      const message = error.message.replace(/^error: /, "").replace(/\n\(/, " (");
      throw usageError(`tenon ${path}: ${message}`, adviceFor(error, spec, path, argv));
    }
    throw error;
  }
  const options = command.opts<Record<string, unknown>>();
  const values: Record<string, unknown> = {};
  for (const { made } of named) {
    const value = options[made.attributeName()];
    // commander turns `--no-x` into `x: false`; the table names what is written.
    values[made.long?.slice(2) ?? ""] = made.negate ? value === false || undefined : value;
  }
  return { words: command.args, values, wantsHelp: options["help"] === true };
}

/** Unknown options of commands that take arguments are often arguments of the tool. */
function adviceFor(
  { code, message }: CommanderError,
  { operands = [] }: CommandSpec,
  path: string,
  argv: readonly string[],
): string {
  const help = `tenon ${path} --help`;
  const [, name] = /'--([^'=]+)/.exec(message) ?? [];
  const takesArguments = operands.some((operand) => operand.isRest === true && operand.name === "arguments");
  if (code !== "commander.unknownOption" || name === undefined || !takesArguments) {
    return help;
  }
  const at = argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const [, inWord] = /=([\s\S]*)$/.exec(argv[at] ?? "") ?? [];
  const next = argv[at + 1];
  const value = inWord ?? (next === undefined || next.startsWith("-") ? "…" : next);
  return `${name}=${shellWord(value)} without dashes if it is an argument, or ${help}`;
}

function makeOption({ flags, description, choices, isRepeatable }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) {
    option.choices([...choices]);
  }
  if (isRepeatable === true) {
    option.argParser((value: string, previous: readonly string[] | undefined) => [
      ...(previous ?? []),
      value,
    ]);
  }
  return option;
}

const isTarget = ({ name }: OperandSpec): boolean => name === "target" || name === "old";

function assign(
  spec: CommandSpec,
  path: string,
  words: readonly string[],
  hasProgram: boolean,
  isInteractive: boolean,
): Pick<ParsedLine, "operands" | "rest"> {
  const specs = spec.operands ?? [];
  const taken = hasProgram ? specs.findLast((operand) => isTarget(operand)) : undefined;
  const usage = usageOf(spec, path, taken);
  if (hasProgram && taken === undefined) {
    throw usageError(`tenon ${path} takes no program after --.`, usage);
  }
  const operands = new Map<string, string>();
  const left = [...words];
  const named = specs.filter((operand) => operand !== taken && operand.isRest !== true);
  const unknown = words.slice(0, named.length).find((word) => /^-./.test(word));
  if (unknown !== undefined) {
    throw usageError(`tenon ${path}: unknown option '${unknown.split("=", 1)[0]}'`, `tenon ${path} --help`);
  }
  for (const operand of specs) {
    if (operand === taken) {
      continue;
    }
    if (operand.isRest === true) {
      return { operands, rest: left };
    }
    const word = left.shift();
    if (word !== undefined) {
      operands.set(operand.name, word);
    } else if (operand.isOptional !== true && !(isInteractive && operand.isAsked === true)) {
      throw missingOperand(spec, path, operand, taken);
    }
  }
  if (left.length > 0) {
    throw usageError(`tenon ${path} does not take ${JSON.stringify(left[0])}.`, usage);
  }
  return { operands, rest: [] };
}

/**
 * The error of a command without an operand that it needs.
 *
 * @param taken - The operand whose place the program after `--` has.
 */
export function missingOperand(
  spec: CommandSpec,
  path: string,
  operand: OperandSpec,
  taken?: OperandSpec,
): CliError {
  const also = taken === undefined ? (isTarget(operand) ? ", or a program after --" : "") : " before --";
  return usageError(
    `tenon ${path} needs <${operand.name}>${also}.`,
    (taken === undefined ? operand.hint : undefined) ??
      operand.choices?.join(", ") ??
      usageOf(spec, path, taken),
  );
}
