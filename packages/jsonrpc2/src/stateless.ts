/**
 * The entry `@tenon/jsonrpc2/stateless`: messages that belong to no connection. It is an entry of
 * its own, so that a program with connections alone does not load it.
 */
export { StatelessPeer, type StatelessOptions } from "./peer/stateless-peer.ts";
