import { cancel, confirm, isCancel, multiselect, note, select, text } from "@clack/prompts";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Tool,
} from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { contentText } from "../output/content.ts";
import { textOf, visible, visibleLine } from "../output/escape.ts";
import { Interrupted } from "../shell.ts";
import { fieldsOf, type Field } from "./fields.ts";

type Value = string | number | boolean | readonly string[];

/** Values by the names of their fields. */
type Values = ReadonlyMap<string, Value>;

const output = process.stderr;

/**
 * Shows a prompt until the signal aborts. A prompt listens to its signal even after it has ended,
 * and then writes an empty line, so it gets a signal of its own.
 */
async function until<T>(signal: AbortSignal, prompt: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const stop = (): void => own.abort(signal.reason);
  signal.addEventListener("abort", stop);
  if (signal.aborted) {
    stop();
  }
  try {
    return await prompt(own.signal);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Puts the form of a server to the person at the terminal. */
export async function askForm(
  { printer }: Invocation,
  { message, requestedSchema }: ElicitRequestFormParams,
  server: string,
  signal: AbortSignal,
): Promise<ElicitResult> {
  printer.progress(undefined);
  const fields = fieldsOf(requestedSchema);
  const names = fields.map(
    ({ label, isRequired }) => `${visibleLine(label)}${isRequired ? "" : " (optional)"}`,
  );
  note([visible(message), ...names.map((each) => `- ${each}`)].join("\n"), `${visibleLine(server)} asks`, {
    output,
  });
  // Unlike a confirmation, a list ignores letters, which a person may type too early.
  const choice = await until(signal, (own) =>
    select({
      message: "Fill in the form?",
      options: [
        { value: "answer", label: "Yes" },
        { value: "decline", label: "Decline" },
      ],
      signal: own,
      output,
    }),
  );
  if (choice !== "answer") {
    return { action: isCancel(choice) ? "cancel" : "decline" };
  }
  const values = await askAll(fields, signal);
  if (values === undefined) {
    cancel("Cancelled.", { output });
    return { action: "cancel" };
  }
  const content = Object.fromEntries(values);
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
  note(`${visible(message)}\n${visible(url)}`, `${visibleLine(server)} asks you to visit a page`, { output });
  const agrees = await until(signal, (own) =>
    confirm({ message: "Have you visited it, and do you agree?", signal: own, output }),
  );
  return { action: isCancel(agrees) ? "cancel" : agrees ? "accept" : "decline" };
}

/** Requests consent, by default yes. `undefined` if the person cancels. */
export async function askYes(message: string, signal: AbortSignal): Promise<boolean | undefined> {
  const answer = await until(signal, (own) => confirm({ message, initialValue: true, signal: own, output }));
  return isCancel(answer) ? undefined : answer;
}

/**
 * Shows the messages that a server has for a model. The person writes the message of the model.
 * `undefined` if the person declines.
 */
export async function askModel(
  { printer }: Invocation,
  { messages, systemPrompt }: CreateMessageRequestParams,
  server: string,
  signal: AbortSignal,
): Promise<CreateMessageResult | undefined> {
  printer.progress(undefined);
  const said = messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    return `${role}: ${blocks.map((block) => contentText(block as never)).join("\n")}`;
  });
  const all = systemPrompt === undefined ? said : [`system: ${systemPrompt}`, ...said];
  note(visible(all.join("\n")), `${visibleLine(server)} asks for a message of a model`, { output });
  const message = "Write it as the model would. Leave it empty to decline.";
  const written = await until(signal, (own) => text({ message, signal: own, output }));
  return isCancel(written) || (written ?? "") === ""
    ? undefined
    : {
        role: "assistant",
        model: "person",
        stopReason: "endTurn",
        content: { type: "text", text: written },
      };
}

/**
 * Prompts for a tool of a server.
 *
 * @throws `Interrupted` if the person gives up.
 */
export async function askTool(tools: readonly Tool[], signal: AbortSignal): Promise<string> {
  const options = tools.map(({ name, description = "" }) => ({
    value: name,
    label: visibleLine(name),
    hint: visibleLine(description.split("\n", 1)[0] ?? ""),
  }));
  const chosen = await until(signal, (own) =>
    select({ message: "Which tool?", options, maxItems: 12, signal: own, output }),
  );
  if (isCancel(chosen)) {
    throw new Interrupted();
  }
  return chosen;
}

/**
 * Prompts for missing arguments of a tool, and offers the optional ones.
 *
 * @throws `Interrupted` if the person gives up.
 */
export async function askArguments(
  fields: readonly Field[],
  optional: readonly Field[],
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const values = await askAll(fields, signal, optional);
  if (values === undefined) {
    throw new Interrupted();
  }
  return Object.fromEntries(values);
}

/**
 * Prompts for all fields, and then whether to change or to add one. `undefined` if the person
 * cancels.
 */
async function askAll(
  fields: readonly Field[],
  signal: AbortSignal,
  more: readonly Field[] = [],
): Promise<Values | undefined> {
  const values = new Map<string, Value>();
  const ask = async (field: Field): Promise<boolean> => {
    const initial = values.get(field.name) ?? field.initial;
    const answer = await until(signal, (own) => askField(field, initial, own));
    if (answer === "cancelled") {
      return false;
    }
    if (answer.given === undefined) {
      values.delete(field.name);
    } else {
      values.set(field.name, answer.given);
    }
    return true;
  };
  for (const field of fields) {
    if (!(await ask(field))) {
      return undefined;
    }
  }
  const all = [...fields, ...more];
  while (all.length > 1) {
    const options = [
      { value: -1, label: "Send them" },
      ...all.map(({ name, label }, index) => ({
        value: index,
        label:
          index < fields.length || values.has(name)
            ? `Change ${visibleLine(label)}: ${shown(values.get(name))}`
            : `Add ${visibleLine(label)}`,
      })),
    ];
    const choice = await until(signal, (own) =>
      select({ message: "These values?", options, initialValue: -1, signal: own, output }),
    );
    if (isCancel(choice)) {
      return undefined;
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

function shown(value: Value | undefined): string {
  return value === undefined
    ? "left out"
    : visibleLine(typeof value === "string" ? value : JSON.stringify(value));
}

type Answer = "cancelled" | { readonly given?: Value | undefined };

const leftOut = "leave it out";

async function askField(field: Field, initial: unknown, signal: AbortSignal): Promise<Answer> {
  const { title, kind, options, isRequired } = field;
  const message = `${visibleLine(title)}${isRequired ? "" : " (optional)"}`;
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
      options: all,
      initialValue: place >= 0 ? place : isRequired ? 0 : choices.length,
    });
    return isCancel(choice) ? "cancelled" : { given: choices[choice]?.value };
  }
  const written = await text({
    ...common,
    ...(initial === undefined ? {} : { initialValue: textOf(initial) }),
    validate: (entered) => problemOf(field, entered ?? ""),
  });
  if (isCancel(written)) {
    return "cancelled";
  }
  const entered = written ?? "";
  return entered === "" && !isRequired ? {} : { given: valueOf(field, entered) };
}

async function askMany(
  { options, isRequired, problemOf: find }: Field,
  initial: unknown,
  common: { readonly message: string; readonly signal: AbortSignal; readonly output: typeof output },
): Promise<Answer> {
  const choices = options.map(({ value, label }) => ({ value, label: visibleLine(label) }));
  let chosen = Array.isArray(initial) ? initial.filter((each) => typeof each === "string") : [];
  for (;;) {
    const picked = await multiselect({ ...common, options: choices, initialValues: chosen, required: false });
    if (isCancel(picked)) {
      return "cancelled";
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
  return kind === "text" ? entered : (JSON.parse(entered) as Value);
}

function problemOf(field: Field, entered: string): string | undefined {
  const { kind, isRequired } = field;
  if (entered === "") {
    return isRequired ? "Enter a value." : undefined;
  }
  let value: Value;
  try {
    value = valueOf(field, entered);
  } catch {
    return kind === "number" ? "Enter a number." : "Enter JSON.";
  }
  return kind === "number" && typeof value !== "number" ? "Enter a number." : field.problemOf(value);
}
