/**
 * Transports between threads and documents: over `MessagePort`, `window.postMessage` and
 * `BroadcastChannel`.
 *
 * @packageDocumentation
 */

export type { MessageLimits } from "./limits.ts";
export type { Emitter } from "./listen.ts";
export { portTransport, type PortLike, type PortOptions } from "./port.ts";
