import { diffDefinitions } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { reportChanges } from "../session/changes.ts";
import { definitionsBy } from "../session/definitions-by.ts";

/** Compares the definitions of two targets. Each of them may be a lock file. */
export async function run(invocation: Invocation): Promise<number> {
  const before = await definitionsBy(invocation, "old");
  const after = await definitionsBy(invocation, "target");
  return reportChanges(invocation, diffDefinitions(before.definitions, after.definitions));
}
