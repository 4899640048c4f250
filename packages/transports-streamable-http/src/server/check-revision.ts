import { isRevision } from "@tenon/protocol";

import { refusal, type Refusal } from "./refusal.ts";

/** Checks the revision that a legacy request names, if it names one. @source R-369 */
export function checkRevision(version: string | undefined): Refusal | undefined {
  return version === undefined || isRevision(version)
    ? undefined
    : refusal(400, "MCP-Protocol-Version names no known revision");
}
