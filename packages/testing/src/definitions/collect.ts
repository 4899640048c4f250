import { isRecord } from "@tenon/base";
import type { ClientSession, ListOptions } from "@tenon/mcp";
import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

/** The definitions of a server, sorted and without volatile properties. Plain JSON. */
export interface Definitions {
  /** Sorted by name. */
  readonly tools: readonly Tool[];
  /** Sorted by name. */
  readonly prompts: readonly Prompt[];
  /** Sorted by URI. */
  readonly resources: readonly Resource[];
  /** Sorted by URI template. */
  readonly resourceTemplates: readonly ResourceTemplate[];
}

/**
 * Lists all definitions of a server, for snapshots and lock files. Two servers with the same
 * definitions give equal values: lists are sorted, properties are in alphabetical order, and the
 * `_meta` of each definition is removed. Lists that the server does not offer are empty.
 *
 * @throws Whatever prevents a list.
 */
export function definitionsOf(session: ClientSession): Promise<Definitions> {
  return listDefinitions(session, {});
}

/** As {@link definitionsOf}. @param options - Of each request. */
export async function listDefinitions(session: ClientSession, options: ListOptions): Promise<Definitions> {
  const capabilities = session.serverCapabilities;
  const [tools, prompts, resources, resourceTemplates] = await Promise.all([
    capabilities.tools === undefined ? [] : collect(session.tools(options), (tool) => tool.name),
    capabilities.prompts === undefined ? [] : collect(session.prompts(options), (prompt) => prompt.name),
    capabilities.resources === undefined
      ? []
      : collect(session.resources(options), (resource) => resource.uri),
    capabilities.resources === undefined
      ? []
      : collect(session.resourceTemplates(options), (template) => template.uriTemplate),
  ]);
  return { tools, prompts, resources, resourceTemplates };
}

async function collect<T extends object>(list: AsyncIterable<T>, keyOf: (item: T) => string): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) {
    items.push(item);
  }
  const sorted = items.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  return sorted.map(({ ...item }) => {
    delete (item as { _meta?: unknown })._meta;
    return inOrder(item) as T;
  });
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inOrder);
  }
  return isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([name, member]) => [name, inOrder(member)]),
      )
    : value;
}
