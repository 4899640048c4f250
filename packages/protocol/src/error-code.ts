/**
 * The error codes that the Model Context Protocol adds to JSON-RPC's.
 *
 * @source 2026-07-28 basic; R-115…R-118
 */
export const McpErrorCode = {
  /** A header is missing or contradicts the body (2026-07-28 over HTTP). */
  HeaderMismatch: -32020,
  /** The request needs a client capability that it did not declare (2026-07-28). */
  MissingRequiredClientCapability: -32021,
  /** The request names a revision that is not served (2026-07-28). */
  UnsupportedProtocolVersion: -32022,
  /** The user must visit a web page first (2025-11-25; later versions use input requests). */
  UrlElicitationRequired: -32042,
  /** No such resource (revisions up to 2025-11-25; later `-32602`). */
  ResourceNotFound: -32002,
} as const;
