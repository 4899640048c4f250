import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import type { ListKind } from "../events.ts";

/** The items of each kind of list. */
export interface ListItems {
  readonly tools: Tool;
  readonly prompts: Prompt;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
}

interface ListRules {
  readonly method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";
  readonly capability: "tools" | "prompts" | "resources";
  /** The string property that identifies an item. */
  readonly key: string;
}

/** The method for each kind of list. */
export const listRules: Readonly<Record<ListKind, ListRules>> = {
  tools: { method: "tools/list", capability: "tools", key: "name" },
  prompts: { method: "prompts/list", capability: "prompts", key: "name" },
  resources: { method: "resources/list", capability: "resources", key: "uri" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources", key: "uriTemplate" },
};
