import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import type { Tool } from "@tenon/protocol";
import { diffDefinitions, type Definitions } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { reportChanges } from "../session/changes.ts";
import { definitionsBy } from "../session/definitions-by.ts";
import { parseDefinitions } from "../typegen/definitions-constant.ts";
import { writeModule, type ModuleFormat } from "../typegen/module.ts";

/**
 * Writes a module with the types of a server's tools, or compares the tools with a module that was
 * written before.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  const out = flags.text("out");
  if (flags.has("check") && out === undefined) {
    throw usageError("--check compares the tools with a file.", "--check --out <file>");
  }
  const { server, definitions } = await definitionsBy(invocation, "target");
  const text = writeModule({
    server,
    tools: definitions.tools,
    format: formatOf(flags.text("format"), out),
    from: flags.text("from") ?? "@tenon/sdk",
    onProblem: (message) => printer.warn(message),
  });
  if (out === undefined) {
    printer.result({ text }, () => text);
    return exitCodes.ok;
  }
  const path = resolve(shell.cwd, out);
  if (flags.has("check")) {
    return check(invocation, path, text, definitions.tools);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  const { length } = definitions.tools;
  printer.result(
    { file: path, ...server, tools: length },
    () => `${path}: ${length} tools of ${server.name}`,
  );
  return exitCodes.ok;
}

function formatOf(flag: string | undefined, out: string | undefined): ModuleFormat {
  return flag === "dts" || (flag === undefined && /\.d\.[cm]?ts$/.test(out ?? "")) ? "dts" : "ts";
}

async function check(
  invocation: Invocation,
  path: string,
  text: string,
  tools: readonly Tool[],
): Promise<number> {
  const written = await readFile(path, "utf8").catch((cause: unknown) => {
    const hint = "tenon typegen <target> --out <file> writes it";
    throw new CliError("usage", `${path} cannot be read.`, { hint, cause });
  });
  // Editors and version control may change the ends of lines.
  if (written.replaceAll("\r\n", "\n") === text) {
    return reportChanges(invocation, []);
  }
  const before = parseDefinitions(written);
  const changes = before === undefined ? [] : diffDefinitions(onlyTools(before), onlyTools(tools));
  if (changes.length > 0) {
    return reportChanges(invocation, changes);
  }
  throw new CliError("drift", `${path} is not what the tools of the server give.`, {
    hint: "write it again without --check",
  });
}

function onlyTools(tools: readonly Tool[]): Definitions {
  return { tools, prompts: [], resources: [], resourceTemplates: [] };
}
