import { autocomplete, confirm, isCancel, select, updateSettings } from "@clack/prompts";

import { CliError } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { cutTo } from "../output/width.ts";
import { Interrupted } from "../shell.ts";

/** Prompts are written where they do not mix with results. */
export const output: NodeJS.WriteStream = process.stderr;

// Ctrl-D closes the input of a prompt. Without this alias, the prompt would never end.
updateSettings({ aliases: { "\u0004": "cancel" } });

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

/** Prompts that may wait for others. A server can request input at any time. */
const maxWaiting = 32;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs prompts that belong together after all earlier prompts have ended. Two prompts at the same
 * time would both react to each key.
 *
 * @throws The reason of the signal if it has aborted, and `CliError` if 32 prompts wait already.
 */
export async function inTurn<T>(signal: AbortSignal, prompts: () => Promise<T>): Promise<T> {
  if (waiting >= maxWaiting) {
    throw new CliError("failed", `A prompt cannot be shown because ${maxWaiting} others wait.`);
  }
  waiting++;
  const turn = last.then(async () => {
    waiting--;
    signal.throwIfAborted();
    return prompts();
  });
  last = turn.catch(() => {});
  return turn;
}

/** Requests consent, by default yes. `undefined` if the person cancels. */
export async function askYes(message: string, signal: AbortSignal): Promise<boolean | undefined> {
  const answer = await inTurn(signal, () =>
    until(signal, (own) =>
      confirm({ message: `${message} (y or n, Enter: yes)`, initialValue: true, signal: own, output }),
    ),
  );
  return isCancel(answer) ? undefined : answer;
}

/** The choices that are shown at once. */
const maxItems = 12;
/** A person finds one of more choices by typing a part of it. */
const maxWithoutSearch = 5;
/** Columns next to the label of a choice. */
const besideLabel = 8;

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
  // A terminal of unknown size has 0 columns.
  const columns = Math.max((output.columns || 80) - besideLabel, besideLabel);
  const options = choices.map(({ value, label, hint = "" }) => ({
    value,
    label: cutTo(visibleLine(label), columns),
    hint: cutTo(visibleLine(hint), columns),
  }));
  const texts = new Map(
    choices.map(({ value, label, hint = "" }) => [value, visibleLine(`${label} ${hint}`).toLowerCase()]),
  );
  const chosen = await inTurn(signal, () =>
    until(signal, (own) =>
      options.length > maxWithoutSearch
        ? autocomplete({
            message,
            options,
            maxItems,
            // By default the values are searched as well, although they are not shown.
            filter: (search, { value }) => texts.get(value)?.includes(search.toLowerCase()) === true,
            validate: (value) => (value === undefined ? "Nothing matches. Change the search." : undefined),
            signal: own,
            output,
          })
        : select({ message, options, maxItems, signal: own, output }),
    ),
  );
  if (isCancel(chosen)) {
    throw new Interrupted();
  }
  return chosen;
}
