/**
 * JSON-RPC 2.0 over any message stream. See the package README for a tour.
 *
 * @packageDocumentation
 */

export * from "./core.ts";
export { Peer } from "./peer/peer.ts";
