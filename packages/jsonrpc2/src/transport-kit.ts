/**
 * Building blocks for authors of transports. The contract of transports is in `@tenon/jsonrpc2`.
 *
 * @packageDocumentation
 */

export { backoff, printable, sleep, unlessAborted } from "@tenon/base";
export { copyOf } from "./codec/encode.ts";
export { decodeLimits, decodeLimitsOf, valuesAllowed } from "./codec/limits.ts";
export { extendMember, prepareMember, preparedText, prepareResult } from "./codec/prepared.ts";
export { offerDirectRead, type DirectRead, type Reader } from "./direct-read.ts";
export { responseOverLimit } from "./error.ts";
export { transportHint } from "./extra.ts";
export { withRelation } from "./with-extra.ts";
export { IdTable } from "./id-table.ts";
export { MessageQueue } from "./message-queue.ts";
export { ResponseRoom } from "./response-room.ts";
export { failureOf } from "./peer/failure.ts";
export { WaitingWrite } from "./waiting-write.ts";
export { writeAccepted } from "./write-accepted.ts";
