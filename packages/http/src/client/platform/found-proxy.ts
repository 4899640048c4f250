/** A proxy by which a server is reached. */
export interface FoundProxy {
  /** Its scheme, name and port. */
  readonly origin: URL;
  /** The header that authenticates to it, if its URL has credentials. */
  readonly headers: Readonly<Record<string, string>>;
}
