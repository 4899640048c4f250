import type { ClientSession } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";

import type { Findings } from "./report.ts";

/** The parts that all checks of one session share. */
export interface CheckContext {
  readonly session: ClientSession;
  readonly findings: Findings;
  readonly runs: number;
  readonly seed: number;
  readonly signal: AbortSignal | undefined;
  /** Calls a tool, and counts the call. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<CallOutcome>;
}

/** The outcome of a call: a result, or the error that took its place. */
export type CallOutcome = { readonly result: CallToolResult } | { readonly error: unknown };

/** The message of anything that was thrown, of at most 300 characters. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
