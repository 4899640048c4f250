import { memberTables, methodTables } from "@tenon/protocol";

import { rules20250326 } from "./2025-03-26.ts";
import type { RevisionRules } from "./rules.ts";

/**
 * Revision 2025-06-18: adds structured output, titles, resource links and elicitation; takes
 * batches away.
 */
export const rules20250618: RevisionRules = {
  ...rules20250326,
  revision: "2025-06-18",
  methods: methodTables["2025-06-18"],
  members: memberTables["2025-06-18"],
  structuredContent: "object",
  clientCapabilities: { ...rules20250326.clientCapabilities, elicitation: new Set() },
};
