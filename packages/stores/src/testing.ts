/**
 * Tools for tests of stores, with any test runner.
 *
 * @packageDocumentation
 */

export { authStoreConformance } from "./testing/auth.ts";
export { busConformance } from "./testing/bus.ts";
export type { StoreConformanceOptions, StoreSubjectFactory, StoreSubject } from "./testing/check.ts";
export { eventStoreConformance } from "./testing/event.ts";
export { leasesConformance } from "./testing/lease.ts";
export { rateLimitsConformance } from "./testing/rate.ts";
export { replayStoreConformance } from "./testing/replay.ts";
export { sessionStoreConformance } from "./testing/session.ts";
