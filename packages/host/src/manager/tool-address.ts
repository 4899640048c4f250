import { HostError } from "../error.ts";
import type { NameTable, ToolAddress } from "../names/name-table.ts";
import { namePrefix } from "../names/qualified-name.ts";
import type { Members } from "./members.ts";

/**
 * Finds the server and the tool of a qualified name.
 *
 * @param list - Lists all tools, which adds their names to `names`. Called for an unknown name.
 * @throws `HostError` `UNKNOWN_TOOL` if no server has a tool of that name.
 */
export async function toolAddress(
  name: string,
  names: NameTable,
  members: Members,
  list: () => Promise<unknown>,
): Promise<ToolAddress> {
  if (name.startsWith(namePrefix) && names.addressOf(name) === undefined) {
    await list();
  }
  const address = names.addressOf(name);
  if (address === undefined || members.find(address.server) === undefined) {
    const message = `No tool is named ${JSON.stringify(name.slice(0, 100))}; names have the form ${namePrefix}<server>__<tool>, as tools() gives them.`;
    throw new HostError("UNKNOWN_TOOL", message, { phase: "call" });
  }
  return address;
}
