import { autocomplete, confirm, isCancel, select } from "@clack/prompts";

import { visibleLine } from "../output/escape.ts";
import { Interrupted } from "../shell.ts";

/** Prompts are written where they do not mix with results. */
export const output: NodeJS.WriteStream = process.stderr;

/** A choice of a person. Others may have written its text. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

/**
 * Shows a prompt until the signal aborts. A prompt listens to its signal even after it has ended,
 * and then writes an empty line, so it gets a signal of its own.
 */
export async function until<T>(signal: AbortSignal, prompt: (own: AbortSignal) => Promise<T>): Promise<T> {
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

/** Requests consent, by default yes. `undefined` if the person cancels. */
export async function askYes(message: string, signal: AbortSignal): Promise<boolean | undefined> {
  const answer = await until(signal, (own) =>
    confirm({ message: `${message} (y or n, Enter: yes)`, initialValue: true, signal: own, output }),
  );
  return isCancel(answer) ? undefined : answer;
}

/** The choices that are shown at once. */
const maxItems = 12;
/** A person finds one of more choices by typing a part of it. */
const maxWithoutSearch = 5;

/**
 * Prompts for one of several choices.
 *
 * @returns The value of the choice.
 * @throws `Interrupted` if the person gives up.
 */
export async function askChoice(
  message: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<string> {
  const options = choices.map(({ value, label, hint = "" }) => ({
    value,
    label: visibleLine(label),
    hint: visibleLine(hint),
  }));
  const chosen = await until(signal, (own) =>
    options.length > maxWithoutSearch
      ? autocomplete({ message, options, maxItems, signal: own, output })
      : select({ message, options, maxItems, signal: own, output }),
  );
  if (isCancel(chosen)) {
    throw new Interrupted();
  }
  return chosen;
}
