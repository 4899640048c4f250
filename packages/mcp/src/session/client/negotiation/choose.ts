import { isRecord } from "@tenon/base";

import { McpError } from "../../../base/error.ts";
import type { SpokenRevisions } from "../../../revisions/index.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";

/** The newest version that both sides support. @throws `McpError` `UNSUPPORTED_REVISION` */
export function choose(supported: readonly unknown[], revisions: SpokenRevisions): RevisionRules {
  const own = [...revisions.modern, ...revisions.legacy];
  const common = own.find(({ revision }) => supported.includes(revision));
  if (common === undefined) {
    const theirs = supported.filter((name) => typeof name === "string").join(", ");
    throw new McpError(
      "UNSUPPORTED_REVISION",
      `No common protocol version: server ${theirs.slice(0, 200)}, client ${own.map(({ revision }) => revision).join(", ")}`,
    );
  }
  return common;
}

/** The versions that the `data` of an error lists. */
export function supportedIn(data: unknown): readonly unknown[] {
  return isRecord(data) && Array.isArray(data["supported"]) ? data["supported"] : [];
}
