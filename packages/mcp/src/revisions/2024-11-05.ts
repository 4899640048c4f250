import { McpErrorCode, memberTables, methodTables } from "@tenon/protocol";

import type { RevisionRules } from "./rules.ts";

/** Revision 2024-11-05. */
export const rules20241105: RevisionRules = {
  revision: "2024-11-05",
  era: "legacy",
  methods: methodTables["2024-11-05"],
  members: memberTables["2024-11-05"],
  structuredContent: "none",
  serverCapabilities: new Set(["experimental", "extensions", "logging", "prompts", "resources", "tools"]),
  resourceNotFound: McpErrorCode.ResourceNotFound,
  anyOutputSchema: false,
  invalidArguments: "error",
  inputs: "requests",
  clientCapabilities: { roots: new Set(["listChanged"]), sampling: new Set() },
  // For the capabilities of all later revisions: a request that a revision lacks is never sent.
  requiredParts: {
    "elicitation/create": [
      { path: "elicitation.url", member: "mode", value: "url" },
      { path: "elicitation.form" },
    ],
    "sampling/createMessage": [
      { path: "sampling.tools", member: "tools" },
      { path: "sampling.tools", member: "toolChoice" },
    ],
  },
  impliedParts: { elicitation: "form" },
  formFields: "plain",
  elicitationIds: false,
  urlElicitationError: false,
  samplingBlocks: false,
  missingCapability: "result",
};
