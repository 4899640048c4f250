import { unlessAborted } from "@tenon/base";

import { HostError, isHostError } from "../error.ts";
import type { NameTable, ToolAddress } from "../names/name-table.ts";
import { mayBeOf, namePrefix } from "../names/qualified-name.ts";
import type { Members } from "./members.ts";

/**
 * Finds the server and the tool of a qualified name. If a server that may have the tool
 * disconnected before it had listed its tools, waits until the server has reconnected.
 *
 * @param list - Lists all tools, which adds their names to `names`. Called for an unknown name.
 * @throws `HostError` `UNKNOWN_TOOL` if no server has a tool of that name; the error of the request
 *   for the tools of its server, such as `SERVER_GONE`; `signal.reason` if the signal aborts.
 */
export async function toolAddress(
  name: string,
  names: NameTable,
  members: Members,
  list: () => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<ToolAddress> {
  if (name.startsWith(namePrefix) && names.addressOf(name) === undefined) {
    await list();
    if (names.addressOf(name) === undefined) {
      await listUntilKnown(name, names, members, { list, signal });
    }
  }
  const address = names.addressOf(name);
  if (address === undefined || members.find(address.server) === undefined) {
    const message = `No tool is named ${JSON.stringify(name.slice(0, 100))}; names have the form ${namePrefix}<server>__<tool>, as tools() gives them.`;
    throw new HostError("UNKNOWN_TOOL", message, { phase: "call" });
  }
  return address;
}

/**
 * Lists the tools of the servers that may have the tool and have never listed theirs, until one of
 * them has it.
 *
 * @throws The error of a server that could not list its tools, if no other server has the tool.
 */
async function listUntilKnown(
  name: string,
  names: NameTable,
  { sorted }: Members,
  { list, signal }: { readonly list: () => Promise<unknown>; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const failures: unknown[] = [];
  const listings = sorted
    .filter(({ server, lists }) => mayBeOf(name, server.name) && lists.last("tools") === undefined)
    .map(async ({ lists }) => {
      await lists.read("tools").catch((error: unknown) => failures.push(error));
      await list();
      if (names.addressOf(name) === undefined) {
        throw new HostError("UNKNOWN_TOOL", "Not among these tools.", { phase: "call" });
      }
    });
  const isKnown = await unlessAborted(
    Promise.any(listings).then(
      () => true,
      () => false,
    ),
    signal,
  );
  const [first] = failures;
  if (!isKnown && first !== undefined) {
    throw isHostError(first) ? notCalled(first) : (first as Error);
  }
}

/**
 * The failure of a list that a call needed: the server may have responded, but the tool was not
 * called.
 */
export function notCalled(error: HostError): HostError {
  const { code, message, server, phase, retryable } = error;
  return new HostError(code, message, { server, phase, retryable, delivered: "no", cause: error });
}
