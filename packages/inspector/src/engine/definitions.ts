import { reasonOf } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp/client";

import type { Definitions } from "../wire/action.ts";

/** The maximum number of definitions of a kind that the page shows. */
const maxItems = 5000;

/** Reads all lists that the server offers. A list that fails is empty, and its failure is named. */
export async function readDefinitions(session: ClientSession): Promise<Definitions> {
  const { tools, prompts, resources } = session.serverCapabilities;
  const problems: string[] = [];
  const read = async (
    name: string,
    offered: unknown,
    list: () => AsyncIterable<object>,
  ): Promise<object[]> => {
    const items: object[] = [];
    if (offered === undefined) {
      return items;
    }
    try {
      for await (const item of list()) {
        if (items.length >= maxItems) {
          problems.push(`The list of ${name} is longer than ${maxItems}; the rest is not shown.`);
          break;
        }
        items.push(item);
      }
    } catch (error) {
      problems.push(`The list of ${name} could not be read: ${reasonOf(error)}`);
    }
    return items;
  };
  const [one, two, three, four] = await Promise.all([
    read("tools", tools, () => session.tools()),
    read("prompts", prompts, () => session.prompts()),
    read("resources", resources, () => session.resources()),
    read("resource templates", resources, () => session.resourceTemplates()),
  ]);
  return { tools: one, prompts: two, resources: three, resourceTemplates: four, problems };
}
