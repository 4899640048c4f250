/**
 * The part of this package that a client needs, without what only servers do. All types are here.
 *
 * @packageDocumentation
 */

export type * from "../index.ts";

export { Client } from "../client.ts";
export {
  isMcpError,
  isResourceNotFound,
  isToolError,
  McpError,
  McpErrorCode,
  mcpErrors,
  ToolError,
} from "../error.ts";
export { requiredUrlElicitations } from "../feature/elicitation/required-urls.ts";
export { defineMethod, defineNotification } from "../feature/extensions/definition.ts";
export { LogLevel } from "../feature/logging/level.ts";
export { defineTool, defineTools } from "../feature/tools/define-tool.ts";
export { displayName, toolHints } from "../feature/tools/display.ts";
export { findHeaderParameters } from "@tenon/protocol";
export { receivingMethod, sendingMethod } from "../for-method.ts";
export { ClientSession } from "../session/client-session.ts";
export { tolerated } from "../strictness.ts";
