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
    if (names.addressOf(name) === undefined && (await listFirst(name, members, signal))) {
      await list();
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
 * Lists the tools of the servers to which a name may belong, if they were never listed.
 *
 * @returns Whether there are such servers.
 */
async function listFirst(name: string, members: Members, signal: AbortSignal | undefined): Promise<boolean> {
  const unlisted = members.sorted.filter(
    ({ server, lists }) => mayBeOf(name, server.name) && lists.last("tools") === undefined,
  );
  try {
    await unlessAborted(Promise.all(unlisted.map(({ lists }) => lists.read("tools"))), signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw isHostError(error) ? notCalled(error) : error;
  }
  return unlisted.length > 0;
}

/**
 * The failure of a list that a call needed: the server may have responded, but the tool was not
 * called.
 */
export function notCalled(error: HostError): HostError {
  const { code, message, server, phase, retryable } = error;
  return new HostError(code, message, { server, phase, retryable, delivered: "no", cause: error });
}
