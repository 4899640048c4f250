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

/** The media types of responses. */
export const MediaType = { json: "application/json", events: "text/event-stream" } as const;
