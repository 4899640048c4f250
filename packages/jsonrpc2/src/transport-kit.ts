/**
 * Building blocks for authors of transports, and for the packages on top of this one. The contract
 * of transports is in `@tenon/jsonrpc2`.
 *
 * @packageDocumentation
 */

export { backoff, type BackoffOptions } from "./backoff.ts";
export { brandErrors, isBranded } from "./branded-error.ts";
export { CredentialWatch } from "./credential-watch.ts";
export { sleep, type SleepOptions } from "./sleep.ts";
export { printable, quotedMessage } from "./error.ts";
export { isPlainJson, isRecord, isThenable, reasonOf } from "./unknown-value.ts";
export { writeAccepted } from "./write-accepted.ts";
export { copyOf } from "./codec/encode.ts";
export { responseOverLimit } from "./error.ts";
export { decodeLimits, decodeLimitsOf, valuesAllowed } from "./codec/limits.ts";
export { prepareMember, preparedText, prepareResult } from "./codec/prepared.ts";
export { transportHint, withRelation } from "./extra.ts";
export { offerDirectRead, type DirectRead } from "./direct-read.ts";
export { drainable, markDrainable } from "./drainable.ts";
export { errorSink, failureOf } from "./error-sink.ts";
export { IdTable } from "./id-table.ts";
export { readLimits, type LimitRule, type LimitRules, type ResolvedLimits } from "./limits.ts";
export { MessageQueue } from "./message-queue.ts";
export {
  checkOptionNames,
  isNear,
  isPlain,
  unknownOption,
  type OptionKind,
  type OptionNames,
} from "./option-names.ts";
export { SignalWatch, type Abortable } from "./signal-watch.ts";
export { takeLateFailure } from "./peer/late-failure.ts";
export { unlessAborted } from "./unless-aborted.ts";
