import { ErrorCode } from "@tenon/jsonrpc2/core";
import { memberTables, methodTables } from "@tenon/protocol";

import { rules20251125 } from "./2025-11-25.ts";
import type { RevisionRules } from "./rules.ts";

/**
 * Revision 2026-07-28: stateless requests, input asked for in results; structured output of any
 * type.
 */
export const rules20260728: RevisionRules = /* @__PURE__ */ (() => {
  const { tasks: _, ...clientCapabilities } = rules20251125.clientCapabilities;
  return {
    ...rules20251125,
    revision: "2026-07-28",
    era: "modern",
    methods: methodTables["2026-07-28"],
    members: memberTables["2026-07-28"],
    structuredContent: "any",
    serverCapabilities: new Set([
      ...[...rules20251125.serverCapabilities].filter((name) => name !== "tasks"),
      "extensions",
    ]),
    resourceNotFound: ErrorCode.InvalidParams,
    anyOutputSchema: true,
    inputs: "results",
    clientCapabilities: { ...clientCapabilities, roots: new Set() },
    elicitationIds: false,
    urlElicitationError: false,
    missingCapability: "error",
  };
})();
