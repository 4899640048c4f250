/** The header fields of the transport, in lower case. @source R-310… */
export const HeaderName = {
  protocolVersion: "mcp-protocol-version",
  method: "mcp-method",
  name: "mcp-name",
  /** Followed by the name that a tool's schema gives. @source R-316 */
  paramPrefix: "mcp-param-",
  sessionId: "mcp-session-id",
  lastEventId: "last-event-id",
} as const;

/** The error codes of the transport itself, besides the codes of JSON-RPC. @source R-115…R-118 */
export const TransportCode = {
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
} as const;

/** The media types of responses. */
export const MediaType = { json: "application/json", events: "text/event-stream" } as const;
