import type { Invocation } from "./command/invocation.ts";
import type { CommandSpec } from "./command/spec.ts";
import { exitCodes } from "./exit.ts";
import type { Printer } from "./output/printer.ts";
import { isInteractive, type Shell } from "./shell.ts";
import { groups } from "./table.ts";

/** Runs a command line and returns its exit code. Never throws for bad input. */
export async function main(argv: readonly string[], shell: Shell): Promise<number> {
  const [first, ...more] = argv;
  if (first === "--version" || first === "-V") {
    shell.stdout.write(`${shell.version}\n`);
    return exitCodes.ok;
  }
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    return showHelp(more, shell);
  }
  const { createFlags } = await import("./command/flags.ts");
  const { createPrinter } = await import("./output/printer.ts");
  const fallback = (): Printer =>
    createPrinter(shell, createFlags({ json: argv.includes("--json") || argv.includes("--jsonl") }));
  let printer: Printer | undefined;
  let invocation: Invocation | undefined;
  const ends: (() => void | Promise<void>)[] = [];
  try {
    let found = findCommand(argv);
    if (found.spec === undefined) {
      const { meantLine } = await import("./command/unknown.ts");
      found = findCommand(meantLine(argv, found.path, groups));
    }
    const { spec, path, rest } = found;
    if (spec?.load === undefined) {
      return await showHelp([...path.split(" "), ...rest.filter((word) => !word.startsWith("-"))], shell);
    }
    const { parseLine } = await import("./command/parse.ts");
    const line = parseLine(spec, path, rest, isInteractive(shell));
    if (line.wantsHelp) {
      return await showHelp(path.split(" "), shell);
    }
    const flags = createFlags(line.values);
    printer = createPrinter(shell, flags);
    const { run } = await spec.load();
    const { createInvocation } = await import("./command/create-invocation.ts");
    const collect = (end: () => void | Promise<void>): void => void ends.push(end);
    invocation = createInvocation(shell, flags, printer, line, path, collect);
    if (line.program === undefined && !line.operands.has("target") && isInteractive(shell) && asks(spec)) {
      const { askTarget } = await import("./session/ask-target.ts");
      const chosen = await askTarget(invocation, spec, path, line);
      invocation = createInvocation(shell, createFlags(chosen.values), printer, chosen, path, collect);
    }
    return (await run(invocation, groups)) ?? exitCodes.ok;
  } catch (error) {
    return await report(error, printer ?? fallback(), shell, invocation);
  } finally {
    await Promise.allSettled(ends.map(async (end) => end()));
  }
}

/** Whether a command needs a target, and prompts for it. */
function asks({ operands = [] }: CommandSpec): boolean {
  return operands.some(
    ({ name, isAsked, isOptional }) => name === "target" && isAsked === true && isOptional !== true,
  );
}

async function report(
  error: unknown,
  printer: Printer,
  shell: Shell,
  invocation: Invocation | undefined,
): Promise<number> {
  const { shellWord } = await import("./command/shell-word.ts");
  const { causesOf } = await import("./output/causes.ts");
  const { describeError } = await import("./output/error.ts");
  const { messageOf } = await import("./output/escape.ts");
  const profile = invocation?.flags.text("profile");
  const described = describeError(error, invocation?.operand("target"), profile && shellWord(profile));
  // A terminal has shown the keys "^C".
  if (described.kind === "interrupted" && shell.signal.aborted) {
    printer.newLine();
  }
  printer.progress(undefined);
  printer.error(described);
  if (printer.isVerbose) {
    for (const cause of causesOf(error).slice(1)) {
      printer.note(`  because: ${messageOf(cause)}`);
    }
  }
  if (described.kind === "internal" && error instanceof Error) {
    printer.note(error.stack ?? "");
  }
  return described.kind === "internal" ? exitCodes.failed : exitCodes[described.kind];
}

/** Finds the command that the first words name. `rest` contains the words after them. */
export function findCommand(argv: readonly string[]): {
  readonly spec: CommandSpec | undefined;
  readonly path: string;
  readonly rest: readonly string[];
} {
  const names: string[] = [];
  let level: readonly CommandSpec[] | undefined = groups.flatMap(({ commands }) => commands);
  let spec: CommandSpec | undefined;
  while (level !== undefined) {
    const word: string | undefined = argv[names.length];
    const next: CommandSpec | undefined = level.find(({ name }) => name === word);
    if (next === undefined) {
      break;
    }
    spec = next;
    names.push(next.name);
    level = next.commands;
  }
  const rest = argv.slice(names.length);
  const isUnknown = spec?.load === undefined && rest[0] !== undefined && !rest[0].startsWith("-");
  return { spec: isUnknown ? undefined : spec, path: names.join(" "), rest };
}

async function showHelp(words: readonly string[], shell: Shell): Promise<number> {
  const { commandHelp, mainHelp, optionsHelp } = await import("./command/help.ts");
  const width = shell.stdout.columns ?? 80;
  if (words.length === 0) {
    shell.stdout.write(mainHelp(groups, shell.version, width));
    return exitCodes.ok;
  }
  if (words[0] === "options") {
    shell.stdout.write(optionsHelp(width));
    return exitCodes.ok;
  }
  const { spec, path } = findCommand(words);
  if (spec === undefined) {
    shell.stderr.write(`error: tenon has no command ${JSON.stringify(words.join(" "))}.\ntry: tenon help\n`);
    return exitCodes.usage;
  }
  shell.stdout.write(commandHelp(spec, path, width));
  return exitCodes.ok;
}
