/**
 * Building blocks for HTTP transports, of clients and of servers. Runs on every runtime.
 *
 * @packageDocumentation
 */

export { Running } from "./client/running.ts";
export { timerDelay } from "./server/timer-delay.ts";
export { unref } from "./server/unref.ts";
