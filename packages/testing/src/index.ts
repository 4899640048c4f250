/**
 * A testing kit for servers, clients and hosts of the Model Context Protocol: client and server in
 * one process, recorded conversations, and everything of `@tenon/jsonrpc2/testing`.
 *
 * @packageDocumentation
 */

export * from "@tenon/jsonrpc2/testing";
export * from "./cassette.ts";
export { definitionsOf, type Definitions } from "./definitions.ts";
export { pair, type Pair, type PairOptions } from "./pair.ts";
