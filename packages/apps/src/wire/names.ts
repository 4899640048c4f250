/** The name of the extension. */
export const extension = "io.modelcontextprotocol/ui";

/** The media type of a view. */
export const viewType = "text/html;profile=mcp-app";

/** The versions of the protocol between view and host, the preferred one first. */
export const versions = ["2026-01-26"] as const;

/** The code of a request that the host refuses, as in the examples of SEP-1865. */
export const refusedCode = -32_000;

/** The requests that a view sends. Those of tools, resources and sampling are MCP's own. */
export const viewRequests = {
  initialize: "ui/initialize",
  openLink: "ui/open-link",
  download: "ui/download-file",
  message: "ui/message",
  updateContext: "ui/update-model-context",
  displayMode: "ui/request-display-mode",
} as const;

/** The notifications that a view sends. */
export const viewNotifications = {
  initialized: "ui/notifications/initialized",
  sizeChanged: "ui/notifications/size-changed",
  requestTeardown: "ui/notifications/request-teardown",
} as const;

/** The notifications that a host sends. */
export const hostNotifications = {
  partialInput: "ui/notifications/tool-input-partial",
  input: "ui/notifications/tool-input",
  result: "ui/notifications/tool-result",
  cancelled: "ui/notifications/tool-cancelled",
  contextChanged: "ui/notifications/host-context-changed",
} as const;

/** The request that a host sends before it removes a view. */
export const teardown = "ui/resource-teardown";

/** The notifications between a host and the sandbox proxy. */
export const sandboxNotifications = {
  proxyReady: "ui/notifications/sandbox-proxy-ready",
  resourceReady: "ui/notifications/sandbox-resource-ready",
} as const;
