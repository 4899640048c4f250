import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { diffDefinitions, formatLock, lockOf, parseLock } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { counted } from "../output/counted.ts";
import { reportChanges } from "../session/changes.ts";
import { openSession } from "../session/open.ts";
import { replaceFile } from "../write-file.ts";

/** Writes the definitions of a server to a lock file, or compares them with it. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  if (flags.has("out") && flags.has("file")) {
    throw usageError("--out and --file name the same lock file.", "leave one of them out");
  }
  const path = resolve(shell.cwd, flags.text("out") ?? flags.text("file") ?? "tenon.lock.json");
  await using opened = await openSession(invocation);
  const lock = await lockOf(opened.session);
  if (flags.has("check")) {
    const text = await readFile(path, "utf8").catch((cause: unknown) => {
      throw new CliError("usage", `${path} cannot be read.`, {
        hint: "tenon lock <target> writes it",
        cause,
      });
    });
    return reportChanges(invocation, diffDefinitions(parseLock(text).definitions, lock.definitions));
  }
  await replaceFile(path, formatLock(lock), {
    mode: 0o644,
    isNamed: flags.has("out") || flags.has("file"),
  });
  const { prompts, resources, tools } = lock.definitions;
  printer.result(
    { file: path, ...lock.server },
    () =>
      `${path}: ${counted(tools.length, "tool")}, ${counted(prompts.length, "prompt")}, ${counted(resources.length, "resource")}`,
  );
  return exitCodes.ok;
}
