import { methodTables } from "@tenon/protocol";

import { rules20250618 } from "./2025-06-18.ts";
import type { RevisionRules } from "./rules.ts";

/** Revision 2025-11-25: adds icons, tasks, elicitation by URL and sampling with tools; invalid arguments become results that the model can read. */
export const rules20251125: RevisionRules = {
  ...rules20250618,
  revision: "2025-11-25",
  methods: methodTables["2025-11-25"],
  contentFields: {},
  toolFields: new Set([...rules20250618.toolFields, "icons", "execution"]),
  promptFields: new Set([...rules20250618.promptFields, "icons"]),
  resourceFields: new Set([...rules20250618.resourceFields, "icons"]),
  resourceTemplateFields: new Set([...rules20250618.resourceTemplateFields, "icons"]),
  serverCapabilities: new Set([...rules20250618.serverCapabilities, "tasks"]),
  implementationFields: new Set([
    ...rules20250618.implementationFields,
    "icons",
    "description",
    "websiteUrl",
  ]),
  invalidArguments: "result",
  clientCapabilities: {
    ...rules20250618.clientCapabilities,
    sampling: new Set(["context", "tools"]),
    elicitation: new Set(["form", "url"]),
  },
  formFields: "full",
  elicitationIds: true,
  urlElicitationError: true,
  samplingBlocks: true,
};
