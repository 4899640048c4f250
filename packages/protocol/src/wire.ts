import { assumedRevision, wires } from "./gen/wire.ts";
import type { WireFacts } from "./wire-facts.ts";

export { assumedRevision };

const none: WireFacts = {};

/**
 * Returns facts about the transmission of messages in a revision, or `undefined` for an unknown
 * revision.
 */
export function wireFacts(revision: unknown): WireFacts {
  return typeof revision === "string" && Object.hasOwn(wires, revision)
    ? ((wires as { readonly [revision: string]: WireFacts })[revision] ?? none)
    : none;
}
