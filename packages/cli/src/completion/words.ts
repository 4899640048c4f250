import { createFlags } from "../command/flags.ts";
import type { Invocation } from "../command/invocation.ts";
import { parseOptions } from "../command/parse.ts";
import type { CommandGroup, CommandSpec } from "../command/spec.ts";
import { keptNames, knownTargets, usualProfile } from "../target/known-targets.ts";
import { shells } from "./script.ts";
import { toolsOf } from "./tools.ts";

/** Words that no shell expands, as it would expand `$(…)`. */
const plain = /^@?[\w.+/:%-]{1,200}=?$/;
const maxWords = 500;

/** The words that can follow in a command line. */
export interface NextWords {
  readonly words: readonly string[];
  /** Whether the name of a file can follow, too. */
  readonly takesFiles: boolean;
}

/**
 * The words that can follow what the user has typed: names of configured servers and of kept
 * connections, servers with a login, tools and their arguments. No program is started.
 *
 * @param typed - The words after the name of the program, without the last.
 */
export async function nextWords(
  invocation: Invocation,
  groups: readonly CommandGroup[],
  typed: readonly string[],
): Promise<NextWords> {
  const found = commandOf(groups, typed);
  if (typed[0] === "help" || found === undefined || typed.includes("--")) {
    const names = groups.flatMap(({ commands }) => commands.map(({ name }) => name));
    return { words: typed[0] === "help" ? [...names, "options"] : [], takesFiles: typed.includes("--") };
  }
  const { spec, operands } = found;
  let parsed: ReturnType<typeof parseOptions>;
  try {
    parsed = parseOptions(spec, spec.name, operands);
  } catch {
    // The last word is an option that needs a value, such as `--out`.
    return { words: [], takesFiles: true };
  }
  const { words: given, values } = parsed;
  const specs = spec.operands ?? [];
  const last = specs.at(-1);
  const operand = specs[given.length] ?? (last?.isRest === true ? last : undefined);
  const words =
    operand?.choices ?? (await wordsFor(invocation, operand?.name, { command: spec.name, given, values }));
  return {
    words: [...new Set(words)].filter((word) => plain.test(word)).slice(0, maxWords),
    takesFiles: operand !== undefined && takesFiles(operand.name, spec),
  };
}

const withoutFiles: ReadonlySet<string> = new Set(
  "name tool arguments prompt reference argument others uri id shell typed".split(" "),
);

/** Commands for remote servers alone. */
const ofLogins: ReadonlySet<string> = new Set(["login", "logout", "status", "explain"]);

function takesFiles(operand: string, { name, operands = [] }: CommandSpec): boolean {
  const hasChoices = operands.some((each) => each.name === operand && each.choices !== undefined);
  return !hasChoices && !withoutFiles.has(operand) && !ofLogins.has(name);
}

function commandOf(
  groups: readonly CommandGroup[],
  [name, second, ...rest]: readonly string[],
): { readonly spec: CommandSpec; readonly operands: readonly string[] } | undefined {
  const spec = groups.flatMap(({ commands }) => commands).find((each) => each.name === name);
  if (spec?.commands === undefined) {
    return spec === undefined ? undefined : { spec, operands: second === undefined ? [] : [second, ...rest] };
  }
  const below = spec.commands.find((each) => each.name === second);
  if (below === undefined && second === undefined) {
    const choices = spec.commands.map((each) => each.name);
    return { spec: { ...spec, operands: [{ name: "command", choices }] }, operands: [] };
  }
  return below === undefined ? undefined : { spec: below, operands: rest };
}

/** A line that names no profile would use another login of the same server. */
async function wordsOfTargets(
  invocation: Invocation,
  command: string,
  values: TypedLine["values"],
): Promise<readonly string[]> {
  const profile = createFlags(values).text("profile") ?? usualProfile(command);
  return (await knownTargets(invocation, command, profile)).map(({ word }) => word);
}

interface TypedLine {
  readonly command: string;
  readonly given: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

async function wordsFor(
  invocation: Invocation,
  operand: string | undefined,
  { command, given, values }: TypedLine,
): Promise<readonly string[]> {
  const [target = ""] = given;
  switch (operand) {
    case "target":
    case "old":
    case "more":
      return wordsOfTargets(invocation, command, values);
    case "name":
      return command === "disconnect" ? keptNames(invocation.shell) : [];
    case "tool":
      return (await toolsOf(invocation, target, values)).map(({ name }) => name);
    case "arguments": {
      const tool = (await toolsOf(invocation, target, values)).find(({ name }) => name === given[1]);
      const set = given.slice(2).map((word) => word.replace(/^--/, "").split(/:?=/, 1)[0]);
      return (tool?.properties ?? []).filter((name) => !set.includes(name)).map((name) => `${name}=`);
    }
    case "shell":
      return shells;
    default:
      return [];
  }
}
