/**
 * What the tests of several packages share. It imports `@tenon/protocol` only, so every test above
 * that package may use it.
 */
export { deferred, type Deferred } from "./deferred.ts";
export { inbox, type Inbox } from "./inbox.ts";
export { meeting, person, textOf, type Person } from "./person.ts";
export { bothEras, legacyRevision, modernRevision } from "./revisions.ts";
