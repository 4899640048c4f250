import type { Clock } from "@tenon/base";
import { MetaKey, type ClientCapabilities, type Implementation } from "@tenon/protocol";

import type { Tolerate } from "../../../base/strictness.ts";
import type { SpokenRevisions } from "../../../revisions/index.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";

/** The client's part of a negotiation. */
export interface Proposal {
  readonly info: Implementation;
  /** As a revision knows them. */
  readonly capabilities: (rules: RevisionRules) => ClientCapabilities;
  readonly revisions: SpokenRevisions;
  /**
   * Maximum time to wait for the response to `server/discover` before `initialize` is sent as well,
   * in milliseconds.
   */
  readonly probeTimeoutMs: number;
  /** The idle timeout of requests, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborts the requests that are still pending when the session is open. */
  readonly rest: AbortSignal | undefined;
  /** Resolves when the process of the server has written something: see `Connection.started`. */
  readonly started: Promise<unknown> | undefined;
  /** The number of times that a wait for a login has begun or ended. It is odd during a wait. */
  readonly logins: () => number;
  readonly tolerate: Tolerate;
}

/** The `_meta` that every modern request carries. @source */
export function modernMeta(
  rules: RevisionRules,
  { info, capabilities }: Pick<Proposal, "info" | "capabilities">,
): Readonly<Record<string, unknown>> {
  return {
    [MetaKey.protocolVersion]: rules.revision,
    [MetaKey.clientCapabilities]: capabilities(rules),
    [MetaKey.clientInfo]: info,
  };
}
