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
