import { cancel, confirm, isCancel, multiselect, note, select, text } from "@clack/prompts";
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { textOf, visible, visibleLine } from "../output/escape.ts";
import { Interrupted } from "../shell.ts";
import { fieldsOf, type Field } from "./fields.ts";

type Value = string | number | boolean | readonly string[];

/** Puts the form of a server to the person at the terminal. */
export async function askForm(
  { printer }: Invocation,
  { message, requestedSchema }: ElicitRequestFormParams,
  server: string,
  signal: AbortSignal,
): Promise<ElicitResult> {
  printer.progress(undefined);
  const output = process.stderr;
  note(visible(message), `${visibleLine(server)} asks`, { output });
  const agrees = await confirm({ message: "Answer?", signal, output });
  if (isCancel(agrees)) {
    return { action: "cancel" };
  }
  if (!agrees) {
    return { action: "decline" };
  }
  const content: Record<string, Value> = {};
  for (const field of fieldsOf(requestedSchema)) {
    const value = await askField(field, signal);
    if (value === "cancelled") {
      cancel("Cancelled.", { output });
      return { action: "cancel" };
    }
    if (value.given !== undefined) {
      content[field.name] = value.given;
    }
  }
  return { action: "accept", content: content as NonNullable<ElicitResult["content"]> };
}

/** Shows the whole address of a page, and requests consent. */
export async function askUrl(
  { printer }: Invocation,
  { message, url }: ElicitRequestURLParams,
  server: string,
  signal: AbortSignal,
): Promise<ElicitResult> {
  printer.progress(undefined);
  const output = process.stderr;
  note(`${visible(message)}\n${visible(url)}`, `${visibleLine(server)} asks you to visit a page`, { output });
  const agrees = await confirm({ message: "Have you visited it, and do you agree?", signal, output });
  return { action: isCancel(agrees) ? "cancel" : agrees ? "accept" : "decline" };
}

/** Prompts for missing arguments of a tool. @throws `Interrupted` if the person gives up. */
export async function askArguments(
  fields: readonly Field[],
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await askField(field, signal);
    if (value === "cancelled") {
      throw new Interrupted();
    }
    if (value.given !== undefined) {
      given[field.name] = value.given;
    }
  }
  return given;
}

async function askField(
  field: Field,
  signal: AbortSignal,
): Promise<"cancelled" | { readonly given?: Value | undefined }> {
  const { name, title, kind, options, initial, isRequired } = field;
  const message = `${visibleLine(title)}${isRequired ? "" : " (optional)"}`;
  const common = { message, signal, output: process.stderr };
  if (kind === "boolean") {
    const value = await confirm({ ...common, initialValue: initial === true });
    return isCancel(value) ? "cancelled" : { given: value };
  }
  if (kind === "one" || kind === "many") {
    const choices = options.map(({ value, label }) => ({ value, label: visibleLine(label) }));
    const value =
      kind === "one"
        ? await select({ ...common, options: choices })
        : await multiselect({ ...common, options: choices, required: isRequired });
    return isCancel(value) ? "cancelled" : { given: value };
  }
  const value = await text({
    ...common,
    ...(initial === undefined ? {} : { initialValue: textOf(initial) }),
    validate: (entered) => problemOf(field, entered ?? ""),
  });
  if (isCancel(value)) {
    return "cancelled";
  }
  const entered = value ?? "";
  if (entered === "" && !isRequired) {
    return {};
  }
  return { given: kind === "text" ? entered : (JSON.parse(entered) as Value), ...(name === "" ? {} : {}) };
}

function problemOf({ kind, isRequired }: Field, entered: string): string | undefined {
  if (entered === "") {
    return isRequired ? "Enter a value." : undefined;
  }
  if (kind === "text") {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(entered);
    return kind === "number" && typeof value !== "number" ? "Enter a number." : undefined;
  } catch {
    return kind === "number" ? "Enter a number." : "Enter JSON.";
  }
}
