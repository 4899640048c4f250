import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { counted } from "../output/counted.ts";
import { visibleLine } from "../output/escape.ts";
import { definitionsBy } from "../session/definitions-by.ts";
import { checkWritten, writeAgain } from "../typegen/check-written.ts";
import { typedHead } from "../typegen/definitions-constant.ts";
import { writeModule, type ModuleFormat } from "../typegen/module.ts";
import { replaceFile } from "../write-file.ts";

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
    return checkWritten(invocation, {
      path,
      text,
      tools: definitions.tools,
      head: typedHead,
      again: writeAgain(invocation, "typegen"),
    });
  }
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, text, { mode: 0o644 });
  const { length } = definitions.tools;
  printer.result(
    { file: path, ...server, tools: length },
    () => `${path}: ${counted(length, "tool")} of ${visibleLine(server.name)}`,
  );
  return exitCodes.ok;
}

function formatOf(flag: string | undefined, out: string | undefined): ModuleFormat {
  return flag === "dts" || (flag === undefined && /\.d\.[cm]?ts$/.test(out ?? "")) ? "dts" : "ts";
}
