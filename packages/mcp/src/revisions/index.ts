import { isRevision, revisions, type Era, type Revision } from "@tenon/protocol";

import { McpError } from "../base/error.ts";
import type { RevisionRules } from "./rules.ts";
import { rulesByRevision } from "./table.ts";

/** The rules of a published revision. */
export function rulesOf(revision: Revision): RevisionRules {
  return rulesByRevision[revision];
}

/**
 * True for a client capability that the rules of some revision list. Other capabilities, such as
 * `experimental`, belong to every revision.
 */
export function isListedCapability(name: string): boolean {
  return Object.values(rulesByRevision).some(({ clientCapabilities }) => name in clientCapabilities);
}

/** Whether any revision of these eras, by default of all, has a method or notification. */
export function isTaken(method: string, eras?: readonly Era[]): boolean {
  return Object.values(rulesByRevision).some(
    ({ era, methods }) => eras?.includes(era) !== false && Object.hasOwn(methods, method),
  );
}

/** The revisions that one side of a conversation is willing to speak. */
export interface SpokenRevisions {
  /** Newest first. */
  readonly modern: readonly RevisionRules[];
  /** Newest first. */
  readonly legacy: readonly RevisionRules[];
  /** The rules of a revision by its name, if it is spoken. */
  find(name: unknown): RevisionRules | undefined;
}

/**
 * Looks the rules up.
 *
 * @param names - Default: every published revision.
 * @throws `McpError` `INVALID_DEFINITION` for an empty list, or one with a revision that does not
 *   exist.
 */
export function spokenRevisions(names: readonly Revision[] = revisions): SpokenRevisions {
  checkRevisions(names);
  const spoken = names
    .map((name) => rulesByRevision[name])
    .toSorted((a, b) => (a.revision < b.revision ? 1 : -1));
  return {
    modern: spoken.filter(({ era }) => era === "modern"),
    legacy: spoken.filter(({ era }) => era === "legacy"),
    find: (name) => (isRevision(name) && names.includes(name) ? rulesByRevision[name] : undefined),
  };
}

function checkRevisions(names: unknown): void {
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => isRevision(name))) {
    const got = JSON.stringify(names)?.slice(0, 200);
    const message = `revisions must be a list of some of ${revisions.join(", ")}; got ${got}.`;
    throw new McpError("INVALID_DEFINITION", message);
  }
}
