/**
 * A page that shows every message between an MCP client and a server, and talks to the server:
 * mounted in a development server, or started by `@tenon/inspector/node`.
 *
 * @packageDocumentation
 */

export { converse, type ConverseOptions } from "./chat/converse.ts";
export type { ChatModel, ModelCall, ModelMessage, ModelRequest, ModelResponse } from "./chat/model.ts";
export { createInspector, type Inspector, type InspectorGrant, type InspectorOptions } from "./inspector.ts";
export type { InspectorLimits } from "./engine/limits.ts";
export type { SavedCalls } from "./engine/saved.ts";
export type {
  InspectorServers,
  InspectorSource,
  LiveSource,
  InspectorLogin,
  InspectorLogout,
  RecordingSource,
  ServerAddress,
  TapSource,
} from "./engine/source.ts";
export type { SavedCall, ServerChoice } from "./wire/action.ts";
