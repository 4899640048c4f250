import { confirm, isCancel, updateSettings } from "@clack/prompts";

import { createTurns, type InTurn } from "./turns.ts";

/** Prompts are written where they do not mix with results. */
export const output: NodeJS.WriteStream = process.stderr;

/** The turns of all prompts at the terminal of this process. */
export const inTurn: InTurn = createTurns(32);

// Ctrl-D closes the input of a prompt. Without this alias, the prompt would never end.
updateSettings({ aliases: { "\u0004": "cancel" } });

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
  const answer = await inTurn(signal, () =>
    until(signal, (own) =>
      confirm({ message: `${message} (y or n, Enter: yes)`, initialValue: true, signal: own, output }),
    ),
  );
  return isCancel(answer) ? undefined : answer;
}
