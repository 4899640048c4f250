import { checkOptionNames } from "@tenon/base";
import { CommandTransport, type CommandOptions } from "@tenon/transports-stdio";

import { connectPair, pairOptionNames, type Pair, type PairOptions } from "../pair/connect.ts";

/**
 * Starts a server as a child process and connects a new client to it over standard input and
 * output. The process ends when the pair is closed.
 *
 * @throws `TypeError` for options that do not exist; whatever prevents the connection.
 */
export async function pairCommand(command: CommandOptions, options: PairOptions = {}): Promise<Pair> {
  checkOptionNames("pairCommand", options, pairOptionNames);
  return connectPair(new CommandTransport(command), options, () => Promise.resolve());
}
