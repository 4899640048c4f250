/**
 * The HTTP handlers on `node:http`.
 *
 * @packageDocumentation
 */

export type { NodeHandler } from "@tenon/transports-streamable-http/server";
export {
  createNodeListener,
  type NodeListener,
  type NodeListenerOptions,
  type NodeRoute,
} from "./listener.ts";
export { listen, type HttpListenOptions } from "./listen.ts";
export type { Listening, ListeningHandler } from "./listening.ts";
