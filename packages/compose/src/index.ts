/**
 * Many servers of the Model Context Protocol behind one: mounted, connected or managed.
 *
 * @packageDocumentation
 */

export { compose } from "./compose.ts";
export type { ComposeLimits, ComposeOptions } from "./options.ts";
export type { ComposedSource, ConnectorSource, ServerSource } from "./source/composed-source.ts";
export {
  connectedSource,
  type ConnectedSource,
  type ConnectedSourceOptions,
} from "./source/connected-source.ts";
export type { SourceFeature } from "./source/source-feature.ts";
export type { Audience, ListListener, ReceivedParams, ProxySource } from "./source/source.ts";
export type { MaySeeTool } from "./surface/may-see.ts";
export { proxyServer, type ProxyOptions } from "./surface/proxy-server.ts";
export {
  tagsKey,
  type ArgumentChanges,
  type ToolChanges,
  type ToolTransform,
  type Transform,
} from "./transform/changes.ts";
