import { checkOptionNames } from "@tenon/base";
import type { Server } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";

import { connectPair, pairOptionNames, type Pair, type PairOptions } from "./pair/connect.ts";

/** Options of {@link pair}. */
export interface MemoryPairOptions extends PairOptions {
  /**
   * Whether each message is written as JSON and parsed again, as on any other transport. Default:
   * `true`.
   */
  readonly serialize?: boolean | undefined;
}

/**
 * Connects a new client to `server` in memory. `pairFetch` of `@tenon/testing/http` connects over
 * HTTP without a socket, `pairHttp` and `pairCommand` of `@tenon/testing/node` over a socket and to
 * a child process; all of them return the same.
 *
 * @throws `TypeError` for options that do not exist; whatever prevents the connection.
 */
export async function pair(server: Server, options: MemoryPairOptions = {}): Promise<Pair> {
  checkOptionNames("pair", options, [pairOptionNames, "serialize"]);
  const { serialize = true, ...rest } = options;
  const [here, there] = createInMemoryTransports({ serialize });
  await server.connect(there);
  return connectPair(here, rest, () => Promise.resolve());
}
