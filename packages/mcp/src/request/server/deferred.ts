import type { CallToolResult } from "@tenon/protocol";

import type { RequestContext } from "./context.ts";

/** Text by name that is kept with a call of a tool that runs later. */
export type DeferredFacts = Readonly<Record<string, string>>;

/** A call of a tool that is kept for later, as the channel `tenon:deferred` publishes it. */
export interface DeferredCall {
  readonly kind: "call";
  /** The `Server` that handles the call. */
  readonly server: object;
  /** The name of the tool. */
  readonly tool: string;
  /**
   * Keeps text with the call, for its runs, which may be in other processes. All of it may have
   * 1,024 characters as JSON; above that, none is kept.
   */
  keep(facts: DeferredFacts): void;
}

/** A run of a tool outside of its request, as the channel `tenon:deferred` publishes it. */
export interface DeferredRun {
  readonly kind: "run";
  /** The `Server` that runs the tool. */
  readonly server: object;
  /** The name of the tool. */
  readonly tool: string;
  /** The context of the handler. */
  readonly context: RequestContext;
  /** The text that was kept with the call. */
  readonly facts: DeferredFacts;
  /** Wraps the run. A function that is added later wraps the earlier functions. */
  wrap(around: (run: () => Promise<CallToolResult>) => Promise<CallToolResult>): void;
}
