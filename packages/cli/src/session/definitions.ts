import { ErrorCode } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp/client";
import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

/** The names of the lists of a server, as in the protocol. */
export const listNames = ["tools", "resources", "resourceTemplates", "prompts"] as const;

/** The name of a list. */
export type ListName = (typeof listNames)[number];

/** The lists of a server. */
export interface Lists {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplate[];
  readonly prompts?: readonly Prompt[];
}

const methods: Readonly<Record<ListName, string>> = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
};

/**
 * Fetches lists of a server, all their pages, in the order of the server. A list that the server
 * does not offer is empty.
 */
export async function fetchLists(
  session: ClientSession,
  names: readonly ListName[],
  signal: AbortSignal,
  absentIsEmpty: (name: ListName) => boolean = () => true,
): Promise<Lists> {
  const entries = await Promise.all(
    names.map(async (name) => [name, await fetchList(session, name, signal, absentIsEmpty)] as const),
  );
  return Object.fromEntries(entries) as Lists;
}

/** Lists, and the errors of lists that failed. */
export interface FetchedLists {
  readonly lists: Lists;
  readonly failures: ReadonlyMap<ListName, unknown>;
}

/**
 * As {@link fetchLists}, but a list that fails does not hide the others.
 *
 * @throws The error of the first list if all lists that the server offers fail, or the reason of
 *   the signal.
 */
export async function fetchEach(
  session: ClientSession,
  names: readonly ListName[],
  signal: AbortSignal,
): Promise<FetchedLists> {
  const settled = await Promise.allSettled(names.map((name) => fetchList(session, name, signal, () => true)));
  signal.throwIfAborted();
  const lists: Partial<Record<ListName, readonly unknown[]>> = {};
  const failures = new Map<ListName, unknown>();
  for (const [index, name] of names.entries()) {
    const result = settled[index];
    if (result?.status === "fulfilled") {
      lists[name] = result.value;
    } else {
      failures.set(name, result?.reason);
    }
  }
  const isAll = names.every((name) => failures.has(name) || !session.offers(methods[name]));
  if (failures.size > 0 && isAll) {
    throw [...failures.values()][0];
  }
  return { lists: lists as Lists, failures };
}

async function fetchList(
  session: ClientSession,
  name: ListName,
  signal: AbortSignal,
  absentIsEmpty: (name: ListName) => boolean,
): Promise<unknown[]> {
  if (!session.offers(methods[name])) {
    return [];
  }
  const items: unknown[] = [];
  try {
    for await (const item of session[name]({ signal })) {
      items.push(item);
    }
  } catch (error) {
    // Servers declare resources and have no templates, or declare a capability by mistake.
    if ((error as { code?: unknown }).code === ErrorCode.MethodNotFound && absentIsEmpty(name)) {
      return [];
    }
    throw error;
  }
  return items;
}
