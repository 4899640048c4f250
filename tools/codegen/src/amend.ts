import { CodegenError } from "./error.ts";
import { canonical, rewriteAll } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/** A correction applied while generating; the schema files themselves stay as upstream has them. */
export interface Amendment {
  /**
   * Nodes to change, in the path notation of the descriptions (`JSONValue`,
   * `ElicitResult.content{}`).
   */
  readonly paths: readonly string[];
  /**
   * Revisions it must apply to, or `superset` for the merged surface. Revisions later than all of
   * these are amended too as long as they match: a fault in upstream's generator is seldom mended
   * unasked.
   */
  readonly revisions: readonly string[];
  /** Keywords the node must have, with these values; other nodes at the path are left alone. */
  readonly match: Schema;
  /** Keywords to set. */
  readonly set: Schema;
  /** Why upstream's schema file is not what the specification says. */
  readonly why: string;
}

/** Stands for the merged surface among the revisions of an amendment. */
export const superset = "superset";

/**
 * Applies the amendments of `revision`.
 *
 * @throws CodegenError `stale_amendment` when one no longer matches anything, so that it cannot
 *   outlive its reason.
 */
export function amend(
  definitions: Definitions,
  revision: string,
  amendments: readonly Amendment[],
): Definitions {
  const due = amendments.filter((amendment) => amendment.revisions.includes(revision));
  const hoped = amendments.filter(
    (amendment) => revision !== superset && amendment.revisions.every((listed) => listed < revision),
  );
  const used = new Set<string>();
  const out = rewriteAll(definitions, (node, path) => {
    let current = node;
    for (const amendment of [...due, ...hoped]) {
      if (!amendment.paths.includes(path) || !matches(current, amendment.match)) {
        continue;
      }
      used.add(path);
      current = { ...current, ...amendment.set };
    }
    return current;
  });
  for (const path of due.flatMap((amendment) => amendment.paths)) {
    if (!used.has(path)) {
      throw new CodegenError(
        "stale_amendment",
        `schema/amendments.json: nothing to amend at ${path} in ${revision}; remove the entry`,
      );
    }
  }
  return out;
}

function matches(node: Schema, match: Schema): boolean {
  return Object.entries(match).every(([keyword, value]) => canonical(node[keyword]) === canonical(value));
}
