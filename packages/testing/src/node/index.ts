/**
 * Pairs that need Node: over a socket, and with a child process.
 *
 * @packageDocumentation
 */

export type { Pair, PairCloseOptions, PairOptions } from "../pair/connect.ts";
export { pairCommand } from "./pair-command.ts";
export { pairHttp } from "./pair-http.ts";
