import { anySignal } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp/client";

import { fetchEach, listNames, type FetchedLists, type ListName } from "../session/definitions.ts";

/** The time for the lists of a version, in milliseconds. */
const listMs = 5000;

/** The lists as notifications name them. Templates are announced with resources. */
const announced: readonly (readonly [name: string, lists: readonly ListName[]])[] = [
  ["tools", ["tools"]],
  ["prompts", ["prompts"]],
  ["resources", ["resources", "resourceTemplates"]],
];

/**
 * The names of the lists that differ between two versions of a server. A list that cannot be
 * fetched may have changed.
 */
export async function changedLists(
  before: ClientSession | undefined,
  next: ClientSession | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [old, current] = await Promise.all([before, next].map((session) => listsOf(session, signal)));
  const isSame = (name: ListName): boolean =>
    old?.failures.has(name) === false &&
    current?.failures.has(name) === false &&
    JSON.stringify(old.lists[name]) === JSON.stringify(current.lists[name]);
  return announced.flatMap(([name, lists]) => (lists.every(isSame) ? [] : [name]));
}

async function listsOf(
  session: ClientSession | undefined,
  signal: AbortSignal,
): Promise<FetchedLists | undefined> {
  const either = anySignal([signal, AbortSignal.timeout(listMs)]);
  // A version that does not respond any more.
  return session && fetchEach(session, listNames, either).catch(() => undefined);
}
