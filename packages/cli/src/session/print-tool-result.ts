import type { CallToolResult } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { freeNameIn, isFile, saveFiles } from "../output/save.ts";
import { toolResultText } from "../output/tool-result.ts";
import { isInteractive } from "../shell.ts";

/**
 * Prints the result of a tool, and saves or offers to save what a terminal cannot show.
 *
 * @param folder - The folder of `--save`.
 * @returns The exit code.
 */
export async function printToolResult(
  invocation: Invocation,
  name: string,
  result: CallToolResult,
  folder?: string,
): Promise<number> {
  const { printer, shell } = invocation;
  const saved = folder === undefined ? undefined : await saveFiles(folder, name, result.content);
  printer.result(result, () => toolResultText(result, saved));
  if (saved === undefined && shell.stdout.isTTY === true && result.content.some(isFile)) {
    await offerToSave(invocation, name, result.content);
  }
  if (result.isError === true && printer.mode === "text") {
    printer.note(`The tool ${name} reports an error.`);
    const [first] = result.content;
    const { capabilityHint } = await import("../output/error.ts");
    const hint = first?.type === "text" ? capabilityHint(undefined, first.text) : undefined;
    if (hint !== undefined) {
      printer.note(`try: ${hint}`);
    }
  }
  return result.isError === true ? exitCodes.failed : exitCodes.ok;
}

async function offerToSave(
  { printer, shell, signal }: Invocation,
  name: string,
  content: CallToolResult["content"],
): Promise<void> {
  if (!isInteractive(shell) || printer.mode !== "text") {
    printer.note("Add --save <folder> to keep pictures, sounds and files.");
    return;
  }
  const { askYes } = await import("./prompt.ts");
  const files = content.filter(isFile);
  const what = files.length === 1 ? freeNameIn(shell.cwd, name, files[0]) : `the ${files.length} files`;
  if ((await askYes(`Save ${what} in this folder?`, signal)) === true) {
    const paths = await saveFiles(shell.cwd, name, content);
    printer.tell([...paths.values()].map((path) => `Saved ${visibleLine(path)}`).join("\n"));
  }
}
