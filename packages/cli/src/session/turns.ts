import { CliError } from "../exit.ts";

/**
 * Runs prompts that belong together after all earlier prompts have ended.
 *
 * @throws The reason of the signal if it aborts before the prompts are shown, and `CliError` if too
 *   many prompts wait already.
 */
export type InTurn = <T>(signal: AbortSignal, prompts: () => Promise<T>) => Promise<T>;

/**
 * Creates the turns of prompts. Two prompts at the same time would both react to each key.
 *
 * @param maxWaiting - Maximum number of prompts that wait for others. A server can request input at
 *   any time.
 */
export function createTurns(maxWaiting: number): InTurn {
  const waiting = new Set<() => void>();
  let isTaken = false;
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal.reason);
      };
      waiting.add(begin);
      signal.addEventListener("abort", leave, { once: true });
    });
  return async (signal, prompts) => {
    signal.throwIfAborted();
    if (isTaken) {
      if (waiting.size >= maxWaiting) {
        throw new CliError("failed", `A prompt cannot be shown because ${maxWaiting} others wait.`);
      }
      await turn(signal);
    }
    isTaken = true;
    try {
      signal.throwIfAborted();
      return await prompts();
    } finally {
      const [next] = waiting;
      if (next === undefined) {
        isTaken = false;
      } else {
        // The turn stays taken, so that no later prompt comes in between.
        waiting.delete(next);
        next();
      }
    }
  };
}
