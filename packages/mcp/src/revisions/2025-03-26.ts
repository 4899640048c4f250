import { memberTables, methodTables } from "@tenon/protocol";

import { rules20241105 } from "./2024-11-05.ts";
import type { RevisionRules } from "./rules.ts";

/**
 * Revision 2025-03-26: adds audio, tool annotations, messages with progress, the completions
 * capability and batches.
 */
export const rules20250326: RevisionRules = {
  ...rules20241105,
  revision: "2025-03-26",
  methods: methodTables["2025-03-26"],
  members: memberTables["2025-03-26"],
  serverCapabilities: new Set([...rules20241105.serverCapabilities, "completions"]),
};
