import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { lockOf, parseLock, type Lock } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";
import { openTarget } from "./open.ts";

/**
 * Returns the definitions that an operand names: the content of a lock file if the operand ends in
 * `.json`, otherwise the definitions of a target.
 *
 * @throws `CliError` for a file that cannot be read; `SyntaxError` for a file that is not a lock
 *   file.
 */
export async function definitionsBy(invocation: Invocation, operand: string): Promise<Lock> {
  const word = invocation.operand(operand);
  if (word?.endsWith(".json") === true) {
    return readLock(resolve(invocation.shell.cwd, word));
  }
  const target =
    word === undefined ? await resolveTarget(invocation, operand) : await resolveWord(invocation, word);
  await using opened = await openTarget(invocation, target);
  // Without `await` the session would end before its lists arrive.
  return await lockOf(opened.session);
}

async function readLock(path: string): Promise<Lock> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CliError("usage", `${path} cannot be read.`, { hint: "tenon lock <target> writes it", cause });
  });
  return parseLock(text);
}
