import type { CallToolResult, Tool } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { fileNameOf, isFile, saveFiles } from "../output/save.ts";
import { toolResultText } from "../output/tool-result.ts";
import { isInteractive } from "../shell.ts";
import { missingArguments, missingError } from "./checked-arguments.ts";
import { fieldsOf, type Field } from "./fields.ts";

/**
 * Prompts for the required arguments of a tool that are missing.
 *
 * @throws `CliError` without a terminal; `Interrupted` if the person gives up.
 */
export async function completeArguments(
  { shell, signal }: Invocation,
  tool: Tool | undefined,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const missing = missingArguments(tool, args);
  if (tool === undefined || missing.length === 0) {
    return args;
  }
  if (!isInteractive(shell)) {
    throw missingError(tool, args, missing);
  }
  return { ...args, ...(await askToolArguments(tool, { given: args, signal })) };
}

/** Options of {@link askToolArguments}. */
export interface AskToolArgumentsOptions {
  readonly signal: AbortSignal;
  /** Arguments that are not prompted for. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
  /** Values of earlier calls, which are offered for arguments of the same name. */
  readonly earlier?: ReadonlyMap<string, unknown> | undefined;
}

/**
 * Prompts for the required arguments of a tool, and offers the optional arguments.
 *
 * @throws `Interrupted` if the person gives up.
 */
export async function askToolArguments(
  tool: Tool,
  { signal, given = {}, earlier }: AskToolArgumentsOptions,
): Promise<Record<string, unknown>> {
  const fields = fieldsOf(tool.inputSchema)
    .filter(({ name }) => !Object.hasOwn(given, name))
    .map((field) => withEarlier(field, earlier?.get(field.name)));
  const { askArguments } = await import("./ask-person.ts");
  return askArguments(
    fields.filter(({ isRequired }) => isRequired),
    fields.filter(({ isRequired }) => !isRequired),
    signal,
  );
}

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

/** A value of another tool may have another kind. */
function withEarlier(field: Field, earlier: unknown): Field {
  const isOffered =
    field.initial === undefined &&
    field.kind === "text" &&
    typeof earlier === "string" &&
    field.problemOf(earlier) === undefined;
  return isOffered ? { ...field, initial: earlier } : field;
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
  const what = files.length === 1 ? fileNameOf(name, files[0]) : `the ${files.length} files`;
  if ((await askYes(`Save ${what} in this folder?`, signal)) === true) {
    const paths = await saveFiles(shell.cwd, name, content);
    printer.tell([...paths.values()].map((path) => `Saved ${visibleLine(path)}`).join("\n"));
  }
}
