import { unquoted } from "../quoted.ts";
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

/**
 * Returns the record of a row with the columns `id`, `version`, `principal`, `opening`, `facts`,
 * `node`, `created_at` and `expires_at`, whose strings are `quoted`. For authors of stores.
 */
export function sessionOfRow(row: Readonly<Record<string, unknown>>): SessionRecord {
  const textOf = (value: unknown): string | undefined => (value === null ? undefined : unquoted(value));
  return {
    id: unquoted(row["id"]),
    version: Number(row["version"]),
    principal: textOf(row["principal"]),
    opening: unquoted(row["opening"]),
    facts: unquoted(row["facts"]),
    node: textOf(row["node"]),
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"]),
  };
}
