import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { isRecord } from "@tenon/base";

import { createFlags } from "../command/flags.ts";
import type { Invocation } from "../command/invocation.ts";
import { createPrinter } from "../output/printer.ts";
import { fetchLists } from "../session/definitions.ts";
import { openTarget } from "../session/open.ts";
import type { Shell } from "../shell.ts";
import { resolveWord } from "../target/resolve.ts";

/** A tool, as far as completion shows it. */
export interface KnownTool {
  readonly name: string;
  /** The names of its arguments. */
  readonly properties: readonly string[];
}

/** The time for a server to respond. The user waits for it at each press of the key. */
const timeLimit = "4s";

/**
 * The tools of a target, from a remote server itself, and otherwise from `tenon.lock.json` in the
 * folder of the user. No program is started for a completion.
 *
 * @param values - The options of the command line that is completed.
 */
export async function toolsOf(
  { shell, ...rest }: Invocation,
  word: string,
  values: Readonly<Record<string, unknown>>,
): Promise<readonly KnownTool[]> {
  const flags = createFlags({ ...values, timeout: timeLimit, json: true });
  const silent = { write: () => true };
  // Nothing is printed or asked: the user is still typing.
  const quiet: Shell = { ...shell, stdout: silent, stderr: silent };
  const printer = createPrinter(quiet, flags);
  const invocation: Invocation = { ...rest, shell: quiet, flags, printer, operand: () => word };
  const isNamed = /^https?:\/\//i.test(word) || word.startsWith("@");
  try {
    const target = isNamed || !/[./\\]/.test(word) ? await resolveWord(invocation, word) : undefined;
    const isRemote = target?.kind === "kept" || (target?.kind === "server" && target.spec.type !== "stdio");
    if (target === undefined || !isRemote) {
      return await lockedTools(shell);
    }
    await using opened = await openTarget(invocation, target);
    const { tools = [] } = await fetchLists(opened.session, ["tools"], opened.signal);
    return tools.map(({ name, inputSchema }) => toolOf(name, inputSchema));
  } catch {
    return lockedTools(shell);
  }
}

async function lockedTools({ cwd }: Shell): Promise<readonly KnownTool[]> {
  let lock: unknown;
  try {
    lock = JSON.parse(await readFile(resolve(cwd, "tenon.lock.json"), "utf8"));
  } catch {
    return [];
  }
  const definitions = isRecord(lock) ? lock["definitions"] : undefined;
  const tools = isRecord(definitions) ? definitions["tools"] : undefined;
  return (Array.isArray(tools) ? (tools as readonly unknown[]) : [])
    .filter(isRecord)
    .map((tool) => toolOf(String(tool["name"]), tool["inputSchema"]));
}

function toolOf(name: string, schema: unknown): KnownTool {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  return { name, properties: isRecord(properties) ? Object.keys(properties) : [] };
}
