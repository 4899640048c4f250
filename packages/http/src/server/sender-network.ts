import { networkOfAddress } from "@tenon/base";

import type { RequestConnection } from "./lost-connections.ts";

/**
 * The network that a request comes from. Requests of one network share their limits, because one
 * subscriber has all IPv6 addresses of a network.
 */
export function senderNetwork(connection: RequestConnection | null | undefined): string | undefined {
  const address = connection?.remoteAddress;
  return address === undefined ? undefined : (networkOfAddress(address) ?? address);
}
