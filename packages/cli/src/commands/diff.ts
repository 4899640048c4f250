import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { definitionsOf, diffDefinitions, parseLock, type Definitions } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { reportChanges } from "../session/changes.ts";
import { openTarget } from "../session/open.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";

/** Compares the definitions of two targets. Each of them may be a lock file. */
export async function run(invocation: Invocation): Promise<number> {
  const before = await definitionsBy(invocation, "other");
  const after = await definitionsBy(invocation, "target");
  return reportChanges(invocation, diffDefinitions(before, after));
}

async function definitionsBy(invocation: Invocation, operand: string): Promise<Definitions> {
  const word = invocation.operand(operand);
  if (word?.endsWith(".json") === true) {
    return parseLock(await readFile(resolve(invocation.shell.cwd, word), "utf8")).definitions;
  }
  const target =
    word === undefined ? await resolveTarget(invocation, operand) : await resolveWord(invocation, word);
  await using opened = await openTarget(invocation, target);
  // Without `await` the session would end before its lists arrive.
  return await definitionsOf(opened.session);
}
