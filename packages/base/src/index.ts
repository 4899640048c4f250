/**
 * Functions and types that the packages of Tenon share. They are internal: any release may change
 * or remove them.
 *
 * @packageDocumentation
 */

export { adjustCount } from "./adjust-count.ts";
export { anySignal } from "./any-signal.ts";
export { backoff, type BackoffOptions } from "./backoff.ts";
export { brandErrors, isBranded } from "./branded-error.ts";
export { builtinModule } from "./builtin-module.ts";
export { systemClock, type Clock } from "./clock.ts";
export { drainable, markDrainable } from "./drainable.ts";
export { errorSink, reportError } from "./error-sink.ts";
export { inTime, type InTimeOptions } from "./in-time.ts";
export { takeLateFailure } from "./late-failure.ts";
export { readLimits, type LimitRule, type LimitRules, type ResolvedLimits } from "./limits.ts";
export {
  checkOptionNames,
  isNear,
  isPlain,
  unknownOption,
  type NamesAll,
  type OptionKind,
} from "./option-names.ts";
export { groupsOfV6, networkOfAddress } from "./network.ts";
export { printable } from "./printable.ts";
export { quotedMessage, reasonOf, remoteError } from "./reason.ts";
export { requireOptions, type RequiredKind } from "./require-options.ts";
export { Roster, type Enrolled } from "./roster.ts";
export { SignalWatch, type Abortable } from "./signal-watch.ts";
export { sleep, type SleepOptions } from "./sleep.ts";
export { timeLimit, type TimeLimit, type TimeLimitOptions } from "./time-limit.ts";
export { codeOf, hasCode, isRecord, isThenable, kindOf } from "./unknown-value.ts";
export { unlessAborted } from "./unless-aborted.ts";
export { matchesPattern } from "./matches-pattern.ts";
