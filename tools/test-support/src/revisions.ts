import { latest, latestLegacy, type Revision } from "@tenon/protocol";

/** A modern revision, the newest, for tests of what all modern revisions do. */
export const modernRevision: Revision = latest;

/** A legacy revision, the newest, for tests of what all legacy revisions do. */
export const legacyRevision: Revision = latestLegacy;

/** A revision of each era, for tests of what depends on the era and on nothing else. */
export const bothEras: readonly Revision[] = [legacyRevision, modernRevision];
