import { isRecord } from "@tenon/base";

import { McpError } from "../../../base/error.ts";
import type { SpokenRevisions } from "../../../revisions/index.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";

/** The newest version that both sides support. @throws `McpError` `UNSUPPORTED_REVISION` */
export function choose(supported: readonly unknown[], revisions: SpokenRevisions): RevisionRules {
  const common = [...revisions.modern, ...revisions.legacy].find(({ revision }) =>
    supported.includes(revision),
  );
  if (common === undefined) {
    const theirs = supported.filter((name) => typeof name === "string").join(", ");
    throw new McpError(
      "UNSUPPORTED_REVISION",
      `No common protocol version (revisions): the server has ${theirs.slice(0, 200)}.`,
    );
  }
  return common;
}

/** The versions that the `data` of an error lists. */
export function supportedIn(data: unknown): readonly unknown[] {
  return isRecord(data) && Array.isArray(data["supported"]) ? data["supported"] : [];
}
