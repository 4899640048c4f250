/**
 * The part of this package that a server needs, without what only clients do. All types are here.
 *
 * @packageDocumentation
 */

export type * from "../index.ts";

export * from "./shared.ts";
export { text } from "../feature/content-blocks.ts";
export { accepted } from "../feature/elicitation/accepted.ts";
export { urlElicitationRequired } from "../feature/elicitation/url-required.ts";
export { inputRequired, isInputRequired } from "../feature/interaction/explicit.ts";
export { isSuspension } from "../feature/interaction/suspended.ts";
export { createLogger } from "../feature/logging/logger.ts";
export { blobResource, textResource } from "../feature/resources/contents.ts";
export { getToolError } from "../feature/tools/tool-error.ts";
export { Server } from "../server.ts";
export { ServerSession } from "../session/server-session.ts";
