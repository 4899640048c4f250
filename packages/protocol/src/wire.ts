import { assumedRevision, wires } from "./gen/wire.ts";

/** Facts about the transmission of messages in one revision. */
export interface WireFacts {
  /** JSON-RPC batches are received. */
  readonly batches?: true;
  /**
   * The event streams of a session start with an event without data, whose id a client can resume
   * from.
   */
  readonly primedStreams?: true;
  /** Clients name the revision in the header `Mcp-Protocol-Version` of every request over HTTP. */
  readonly versionHeader?: true;
}

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
