import { McpServer as OfficialMcpServer } from "mcp-sdk-1/server/mcp.js";

import { withLazyValidator } from "../shared/lazy-validator.ts";

/** The official `McpServer`. */
export const McpServer: typeof OfficialMcpServer = withLazyValidator(OfficialMcpServer);
/** The official `McpServer`. */
export type McpServer = OfficialMcpServer;
