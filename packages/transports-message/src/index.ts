/**
 * Transports between threads and documents: over `MessagePort`, `window.postMessage` and
 * `BroadcastChannel`.
 *
 * @packageDocumentation
 */

export { broadcastTransport, type BroadcastLimits, type BroadcastOptions } from "./broadcast/client.ts";
export {
  listenOnBroadcast,
  type BroadcastListener,
  type BroadcastListenerLimits,
  type BroadcastListenerOptions,
} from "./broadcast/server.ts";
export type { MessageLimits } from "./limits.ts";
export type { Emitter } from "./listen.ts";
export { portTransport, type PortLike, type PortOptions } from "./port.ts";
export { windowTransport, type WindowLike, type WindowOptions } from "./window.ts";
