import type { LaunchedProcess } from "./launcher.ts";
import { settledWithin } from "./settled-within.ts";

/** One rung of the ladder by which a child process is ended: do something, then wait. */
export interface ShutdownStep {
  /**
   * The action: close the child process's standard input, or send a signal to the whole process
   * tree.
   */
  readonly action: "close-stdin" | NodeJS.Signals;
  /** How long the tree may take to end before the next step, in milliseconds. */
  readonly waitMs: number;
}

/** Close standard input, 2 s, `SIGTERM`, 2 s, `SIGKILL`. The default. @source R-260 */
export const gracefulShutdown: readonly ShutdownStep[] = [
  { action: "close-stdin", waitMs: 2000 },
  { action: "SIGTERM", waitMs: 2000 },
  { action: "SIGKILL", waitMs: 1000 },
];

/** `SIGINT`, 3 s, `SIGKILL`. @source S-232 */
export const interruptShutdown: readonly ShutdownStep[] = [
  { action: "SIGINT", waitMs: 3000 },
  { action: "SIGKILL", waitMs: 1000 },
];

/**
 * Descendants that outlive the process itself give no sign when they end, so they are looked for,
 * less and less often.
 */
const firstPollMs = 10;
const lastPollMs = 160;

/**
 * Performs the steps until the process and its descendants have exited. Each wait ends as soon as
 * they have.
 */
export async function shutDown(child: LaunchedProcess, steps: readonly ShutdownStep[]): Promise<void> {
  for (const step of steps) {
    if (step.action === "close-stdin") {
      child.stdin.end();
    } else {
      child.kill(step.action);
    }
    if (await goneWithin(child, step.waitMs)) {
      return;
    }
  }
}

async function goneWithin(child: LaunchedProcess, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  let expired = !(await settledWithin(child.exited, waitMs));
  for (let pollMs = firstPollMs; !expired && child.alive(); pollMs = Math.min(2 * pollMs, lastPollMs)) {
    const restMs = Math.max(0, deadline - performance.now());
    expired = restMs === 0;
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(pollMs, restMs));
    });
  }
  return !expired;
}
