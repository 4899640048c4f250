import { eras, revisions } from "./gen/revisions.ts";

/** The name of a published revision of the protocol, a date. */
export type Revision = (typeof revisions)[number];

/**
 * The kind of a revision: `legacy` revisions open with `initialize` and keep a session, `modern`
 * revisions use stateless requests.
 */
export type Era = "legacy" | "modern";

/** Every published revision, oldest first. */
export { revisions };

/** The newest revision. */
export const latest: Revision = /* @__PURE__ */ newest(() => true);

/** The newest legacy revision. A client proposes it in `initialize`. */
export const latestLegacy: Revision = /* @__PURE__ */ newest((revision) => eras[revision] === "legacy");

/**
 * The oldest modern revision. All newer revisions, including future ones, also use stateless
 * requests.
 */
export const firstModern: Revision =
  /* @__PURE__ */ revisions.find((revision) => eras[revision] === "modern") ?? latest;

/** The era of a revision. */
export function eraOf(revision: Revision): Era {
  return eras[revision];
}

/** True when `value` is the name of a published revision. */
export function isRevision(value: unknown): value is Revision {
  return typeof value === "string" && Object.hasOwn(eras, value);
}

function newest(wanted: (revision: Revision) => boolean): Revision {
  return revisions.findLast(wanted) ?? revisions[0];
}
