import { methodTables } from "@tenon/protocol";

import { rules20250326 } from "./2025-03-26.ts";
import type { RevisionRules } from "./rules.ts";

/** Revision 2025-06-18: adds structured output, titles, resource links and elicitation; takes batches away. */
export const rules20250618: RevisionRules = {
  ...rules20250326,
  revision: "2025-06-18",
  methods: methodTables["2025-06-18"],
  batches: false,
  structuredContent: "object",
  contentTypes: new Set([...rules20250326.contentTypes, "resource_link"]),
  contentFields: {
    resource_link: new Set([
      "type",
      "uri",
      "name",
      "title",
      "description",
      "mimeType",
      "size",
      "annotations",
      "_meta",
    ]),
  },
  contentsFields: new Set([...rules20250326.contentsFields, "_meta"]),
  rootFields: new Set([...rules20250326.rootFields, "_meta"]),
  toolFields: new Set([...rules20250326.toolFields, "title", "outputSchema", "_meta"]),
  promptFields: new Set([...rules20250326.promptFields, "title", "_meta"]),
  promptArgumentFields: new Set([...rules20250326.promptArgumentFields, "title"]),
  resourceFields: new Set([...rules20250326.resourceFields, "title", "_meta"]),
  resourceTemplateFields: new Set([...rules20250326.resourceTemplateFields, "title", "_meta"]),
  annotationFields: new Set([...rules20250326.annotationFields, "lastModified"]),
  implementationFields: new Set([...rules20250326.implementationFields, "title"]),
  clientCapabilities: { ...rules20250326.clientCapabilities, elicitation: new Set() },
};
