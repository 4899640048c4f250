/**
 * Contracts of the state that several processes of a server share, stores in memory, and parts for
 * authors of stores. `@tenon/tasks` has the contract of task stores.
 *
 * @packageDocumentation
 */

export type { AuthStore, PutOptions, Stored } from "./auth/contract.ts";
export { shareChanges, type SharedChanges, type SharedChangesOptions } from "./bus/changes.ts";
export type { Bus, BusListener } from "./bus/contract.ts";
export {
  createMailbox,
  type Mailbox,
  type MailboxLimits,
  type MailboxOptions,
  type Receiver,
} from "./bus/mailbox.ts";
export { createMemoryBus, type MemoryBusOptions } from "./bus/memory.ts";
export type { StoreClock } from "./clock.ts";
export { isStoreError, StoreError, storeErrors, type StoreErrorCode } from "./error.ts";
export type { EventStore, StoredEvent, StreamKey } from "./event/contract.ts";
export type { AcquireOptions, Lease, Leases } from "./lease/contract.ts";
export { createMemoryLeases, type MemoryLeasesLimits, type MemoryLeasesOptions } from "./lease/memory.ts";
export type { RateDecision, RateLimits, RateRule } from "./rate/contract.ts";
export {
  createMemoryRateLimits,
  type MemoryRateLimitsLimits,
  type MemoryRateLimitsOptions,
} from "./rate/memory.ts";
export type { ReplayStore } from "./replay/contract.ts";
export type {
  NewSession,
  SessionPatch,
  SessionRecord,
  SessionRefusal,
  SessionStore,
} from "./session/contract.ts";
export type { SharedStores } from "./shared-stores.ts";
export {
  shareStateKeys,
  type SharedStateKey,
  type SharedStateKeysLimits,
  type SharedStateKeysOptions,
} from "./state-key/share.ts";
export {
  createMemorySessionStore,
  type MemorySessionStoreLimits,
  type MemorySessionStoreOptions,
} from "./session/memory.ts";

// For authors of stores.
export { checkAuthEntry, generationMs } from "./auth/check.ts";
export { createAuthLock } from "./auth/lock.ts";
export { checkBusMessage } from "./bus/check.ts";
export { createBusListeners, type BusListeners } from "./bus/listeners.ts";
export { createStoreCalls, type StoreCalls } from "./calls.ts";
export { eventIdOf, parseEventId, type EventIdParts } from "./event/event-id.ts";
export { quoted, unquoted } from "./quoted.ts";
export { steadyDate } from "./clock.ts";
export { checkLeaseNames, nextFence } from "./lease/fence.ts";
export { takeFrom, type BucketStep } from "./rate/bucket.ts";
export { openedSession, patchedSession, sessionOfRow } from "./session/record.ts";
