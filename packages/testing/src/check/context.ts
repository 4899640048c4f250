import type { ClientSession } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";

import type { Findings } from "./report.ts";

/** The parts that all checks of one revision share. */
export interface CheckContext {
  /** The present session. A server that ended is started again, so read it before each use. */
  readonly session: ClientSession;
  readonly findings: Findings;
  readonly runs: number;
  readonly seed: number;
  /** Idle timeout of each request, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Starts a server that ended again. @returns How it ended; `undefined` if it still responds. */
  readonly revive: () => Promise<string | undefined>;
  /** Calls a tool, and counts the call. If the server ends, it is started again. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<CallOutcome>;
}

/** The outcome of a call: a result, or the error that took its place. */
export type CallOutcome =
  | { readonly result: CallToolResult }
  | {
      readonly error: unknown;
      /** The sign that the server ended during the call. Absent if the server still responds. */
      readonly ended?: string | undefined;
    };

/** The message of anything that was thrown, of at most 300 characters. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
