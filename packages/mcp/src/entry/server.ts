/**
 * The part of this package that a server needs, without what only clients do. All types are here.
 *
 * @packageDocumentation
 */

export type * from "../index.ts";

export {
  isMcpError,
  isResourceNotFound,
  isToolError,
  McpError,
  McpErrorCode,
  mcpErrors,
  ToolError,
} from "../error.ts";
export { text } from "../feature/content-blocks.ts";
export { accepted } from "../feature/elicitation/accepted.ts";
export { urlElicitationRequired } from "../feature/elicitation/url-required.ts";
export { defineMethod, defineNotification } from "../feature/extensions/definition.ts";
export { inputRequired, isInputRequired } from "../feature/interaction/explicit.ts";
export { isSuspension } from "../feature/interaction/suspended.ts";
export { LogLevel } from "../feature/logging/level.ts";
export { createLogger } from "../feature/logging/logger.ts";
export { blobResource, textResource } from "../feature/resources/contents.ts";
export { defineTool, defineTools } from "../feature/tools/define-tool.ts";
export { findHeaderParameters } from "@tenon/protocol";
export { getToolError } from "../feature/tools/tool-error.ts";
export { receivingMethod, sendingMethod } from "../for-method.ts";
export { Server } from "../server.ts";
export { ServerSession } from "../session/server-session.ts";
export { tolerated } from "../strictness.ts";
