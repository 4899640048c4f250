import { memberTables, methodTables } from "@tenon/protocol";

import { rules20250618 } from "./2025-06-18.ts";
import type { RevisionRules } from "./rules.ts";

/**
 * Revision 2025-11-25: adds icons, tasks, elicitation by URL and sampling with tools; invalid
 * arguments become results that the model can read.
 */
export const rules20251125: RevisionRules = /* @__PURE__ */ (() => ({
  ...rules20250618,
  revision: "2025-11-25",
  methods: methodTables["2025-11-25"],
  members: memberTables["2025-11-25"],
  serverCapabilities: new Set([...rules20250618.serverCapabilities, "tasks"]),
  invalidArguments: "result",
  clientCapabilities: {
    ...rules20250618.clientCapabilities,
    sampling: new Set(["context", "tools"]),
    elicitation: new Set(["form", "url"]),
    tasks: new Set(["list", "cancel", "requests"]),
  },
  formFields: "full",
  elicitationIds: true,
  urlElicitationError: true,
  samplingBlocks: true,
}))();
