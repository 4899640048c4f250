import type { NewSession, SessionPatch, SessionRecord } from "./contract.ts";

/** Returns the first record of a session. For stores. @param now - The time of the store. */
export function openedSession(
  { id, principal, opening, facts, node }: NewSession,
  ttlMs: number,
  now: number,
): SessionRecord {
  return { id, version: 1, principal, opening, facts, node, createdAt: now, expiresAt: now + ttlMs };
}

/** Returns a record after a change, with the next version. For stores. */
export function patchedSession(before: SessionRecord, { facts, node }: SessionPatch): SessionRecord {
  return {
    ...before,
    version: before.version + 1,
    facts: facts ?? before.facts,
    node: node === undefined ? before.node : (node ?? undefined),
  };
}
