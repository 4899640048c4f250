import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { isRecord } from "@tenon/base";

import type { CommandGroup, CommandSpec } from "../command/spec.ts";
import { isDaemonRunning, askDaemon } from "../kept/client.ts";
import type { Shell } from "../shell.ts";
import { readConfigurations } from "../target/configurations.ts";
import { shells } from "./script.ts";

/** Words that no shell expands, as it would expand `$(…)`. */
const plain = /^@?[\w.+/-]{1,100}=?$/;
const maxWords = 500;

/**
 * The words that can follow what the user has typed: names of configured servers and of kept
 * connections, and tools and arguments of the lock file. Nothing is started or connected to.
 *
 * @param typed - The words after the name of the program, without the last.
 */
export async function nextWords(
  shell: Shell,
  groups: readonly CommandGroup[],
  typed: readonly string[],
): Promise<readonly string[]> {
  const found = commandOf(groups, typed);
  if (found === undefined || typed.includes("--")) {
    return [];
  }
  const { spec, operands } = found;
  const given = operands.filter((word) => !word.startsWith("-"));
  const specs = spec.operands ?? [];
  const last = specs.at(-1);
  const operand = specs[given.length] ?? (last?.isRest === true ? last : undefined);
  const words = operand?.choices ?? (await wordsFor(shell, operand?.name, spec.name, given));
  return [...new Set(words)].filter((word) => plain.test(word)).slice(0, maxWords);
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
  return below === undefined ? undefined : { spec: below, operands: rest };
}

async function wordsFor(
  shell: Shell,
  operand: string | undefined,
  command: string,
  given: readonly string[],
): Promise<readonly string[]> {
  switch (operand) {
    case "target":
    case "old":
    case "more":
      return [...(await configuredNames(shell)), ...(await keptNames(shell)).map((name) => `@${name}`)];
    case "name":
      return command === "disconnect" ? keptNames(shell) : [];
    case "tool":
      return (await lockedTools(shell)).map(({ name }) => name);
    case "arguments": {
      const tool = (await lockedTools(shell)).find(({ name }) => name === given[1]);
      const set = given.slice(2).map((word) => word.split(/:?=/, 1)[0]);
      return (tool?.properties ?? []).filter((name) => !set.includes(name)).map((name) => `${name}=`);
    }
    case "shell":
      return shells;
    default:
      return [];
  }
}

async function configuredNames(shell: Shell): Promise<readonly string[]> {
  const files = await readConfigurations(shell, undefined);
  return files.flatMap(({ config }) => (config?.servers ?? []).map(({ name }) => name));
}

async function keptNames(shell: Shell): Promise<readonly string[]> {
  if (!(await isDaemonRunning(shell))) {
    return [];
  }
  const { connections } = await askDaemon(shell, { action: "list" });
  return (Array.isArray(connections) ? (connections as readonly unknown[]) : []).flatMap((each) =>
    isRecord(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
}

interface LockedTool {
  readonly name: string;
  readonly properties: readonly string[];
}

/** The tools of `tenon.lock.json` in the folder of the user; none if it has none. */
async function lockedTools({ cwd }: Shell): Promise<readonly LockedTool[]> {
  let lock: unknown;
  try {
    lock = JSON.parse(await readFile(resolve(cwd, "tenon.lock.json"), "utf8"));
  } catch {
    return [];
  }
  const definitions = isRecord(lock) ? lock["definitions"] : undefined;
  const tools = isRecord(definitions) ? definitions["tools"] : undefined;
  return (Array.isArray(tools) ? (tools as readonly unknown[]) : []).filter(isRecord).map((tool) => {
    const schema = tool["inputSchema"];
    const properties = isRecord(schema) ? schema["properties"] : undefined;
    return { name: String(tool["name"]), properties: isRecord(properties) ? Object.keys(properties) : [] };
  });
}
