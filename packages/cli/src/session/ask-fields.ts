import { isCancel, multiselect, note, select, text } from "@clack/prompts";

import { parseJson } from "../command/parse-json.ts";
import { hasHidden, textOf, visibleLine } from "../output/escape.ts";
import { cutTo } from "../output/width.ts";
import type { Field } from "./fields.ts";
import { output, until } from "./prompt.ts";

type Value = string | number | boolean | readonly string[];

/** Values by the names of their fields. */
export type Values = ReadonlyMap<string, Value>;

/** Options of {@link askFields}. */
export interface AskFieldsOptions {
  readonly signal: AbortSignal;
  /** Fields that the person may add at the end. */
  readonly more?: readonly Field[] | undefined;
  /** Called when the person stops at a prompt. Returns whether the prompt is shown again. */
  readonly onStop: () => Promise<boolean>;
}

/**
 * Prompts for all fields, and then whether to change or to add one. `undefined` if the person
 * stops.
 */
export async function askFields(
  fields: readonly Field[],
  { signal, more = [], onStop }: AskFieldsOptions,
): Promise<Values | undefined> {
  const values = new Map<string, Value>();
  const ask = async (field: Field): Promise<boolean> => {
    for (;;) {
      const initial = values.get(field.name) ?? field.initial;
      const answer = await until(signal, (own) => askField(field, initial, own));
      if (answer !== "stopped") {
        if (answer.given === undefined) {
          values.delete(field.name);
        } else {
          values.set(field.name, answer.given);
        }
        return true;
      }
      if (signal.aborted || !(await onStop())) {
        return false;
      }
    }
  };
  for (const field of fields) {
    if (!(await ask(field))) {
      return undefined;
    }
  }
  const all = [...fields, ...more];
  while (all.length > 1 || more.length > 0) {
    const options = [
      { value: -1, label: "Send them" },
      ...all.map(({ name, label }, index) => ({
        value: index,
        label:
          index < fields.length || values.has(name)
            ? `Change ${cutTo(visibleLine(label), maxLabel)}: ${shown(values.get(name))}`
            : `Add ${cutTo(visibleLine(label), maxLabel)}`,
      })),
    ];
    const choice = await until(signal, (own) =>
      select({ message: "These values?", options, initialValue: -1, signal: own, output }),
    );
    if (isCancel(choice)) {
      if (signal.aborted || !(await onStop())) {
        return undefined;
      }
      continue;
    }
    const field = all[choice];
    if (field === undefined) {
      break;
    }
    if (!(await ask(field))) {
      return undefined;
    }
  }
  return values;
}

/** Columns of a label next to its value. A longer label would hide the value. */
const maxLabel = 40;

function shown(value: Value | undefined): string {
  return value === undefined
    ? "left out"
    : visibleLine(typeof value === "string" ? value : JSON.stringify(value));
}

type Answer = "stopped" | { readonly given?: Value | undefined };

const leftOut = "leave it out";

async function askField(field: Field, initial: unknown, signal: AbortSignal): Promise<Answer> {
  const { title, kind, options, isRequired, expected } = field;
  const isShown = initial === undefined || isShownAsSent(textOf(initial));
  const facts = [
    ...(isRequired ? [] : ["optional"]),
    ...(expected === undefined ? [] : [expected]),
    ...(isShown ? [] : ["its default has characters that cannot be shown"]),
  ];
  const message = `${visibleLine(title)}${facts.length === 0 ? "" : ` (${visibleLine(facts.join(", "))})`}`;
  const common = { message, signal, output };
  if (kind === "many") {
    return askMany(field, initial, common);
  }
  if (kind === "boolean" || kind === "one") {
    const choices: readonly { readonly value: string | boolean; readonly label: string }[] =
      kind === "boolean"
        ? [
            { value: true, label: "yes" },
            { value: false, label: "no" },
          ]
        : options.map(({ value, label }) => ({ value, label: visibleLine(label) }));
    // The value is the place, because a value of the server may be the same as ours.
    const all = [
      ...choices.map(({ label }, index) => ({ value: index, label })),
      ...(isRequired ? [] : [{ value: choices.length, label: leftOut }]),
    ];
    const place = choices.findIndex(({ value }) => value === initial);
    const choice = await select({
      ...common,
      options: all.map((each, index) => ({
        ...each,
        ...(index === place && initial === field.initial ? { hint: "default" } : {}),
      })),
      initialValue: place >= 0 ? place : isRequired ? 0 : choices.length,
    });
    return isCancel(choice) ? "stopped" : { given: choices[choice]?.value };
  }
  const written = await text({
    ...common,
    ...(initial === undefined || !isShown ? {} : { initialValue: textOf(initial) }),
    validate: (entered) => problemOf(field, entered ?? ""),
  });
  if (isCancel(written)) {
    return "stopped";
  }
  const entered = written ?? "";
  return entered === "" && !isRequired ? {} : { given: valueOf(field, entered) };
}

/** Whether a prompt shows every character of a string in one line. */
function isShownAsSent(text: string): boolean {
  return !hasHidden(text) && !/[\t\r\n]/.test(text);
}

async function askMany(
  { options, isRequired, problemOf: find }: Field,
  initial: unknown,
  common: { readonly message: string; readonly signal: AbortSignal; readonly output: typeof output },
): Promise<Answer> {
  const choices = options.map(({ value, label }) => ({ value, label: visibleLine(label) }));
  const values: readonly unknown[] = Array.isArray(initial) ? initial : [];
  // A value that is not among the choices would be sent, but could neither be seen nor removed.
  let chosen = choices.map(({ value }) => value).filter((each) => values.includes(each));
  for (;;) {
    const picked = await multiselect({ ...common, options: choices, initialValues: chosen, required: false });
    if (isCancel(picked)) {
      return "stopped";
    }
    if (picked.length === 0 && !isRequired) {
      return {};
    }
    const problem = find(picked);
    if (problem === undefined) {
      return { given: picked };
    }
    chosen = picked;
    note(problem, "Choose again", { output });
  }
}

function valueOf({ kind }: Field, entered: string): Value {
  return kind === "text" ? entered : (parseJson(entered) as Value);
}

function problemOf(field: Field, entered: string): string | undefined {
  const { kind, isRequired } = field;
  if (entered === "") {
    return isRequired ? "Enter a value." : undefined;
  }
  let value: Value;
  try {
    value = valueOf(field, entered);
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    return isTooLarge ? error.message : kind === "number" ? "Enter a number." : "Enter JSON.";
  }
  return kind === "number" && typeof value !== "number" ? "Enter a number." : field.problemOf(value);
}
