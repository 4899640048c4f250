import type { Tool } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
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

/** A value of another tool may have another kind. */
function withEarlier(field: Field, earlier: unknown): Field {
  const isOffered =
    field.initial === undefined &&
    field.kind === "text" &&
    typeof earlier === "string" &&
    field.problemOf(earlier) === undefined;
  return isOffered ? { ...field, initial: earlier } : field;
}
