/**
 * The HTTP handlers on `node:http`.
 *
 * @packageDocumentation
 */

export {
  createNodeListener,
  type NodeHandler,
  type NodeListener,
  type NodeListenerOptions,
} from "./listener.ts";
export { listen, type Listening, type ListenOptions } from "./listen.ts";
