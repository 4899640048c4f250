import { adjustCount, networkOfAddress } from "@tenon/base";
import type { RequestContext } from "@tenon/mcp";

/** The calls of a source in flight. */
export interface Running {
  /** Begins a call. Returns the function that ends it; `undefined` if it may not begin now. */
  begin(context: Pick<RequestContext, "auth" | "http">): (() => void) | undefined;
}

/** @param maxInFlight - Of all clients. One client may have half of it. */
export function createRunning(maxInFlight: number): Running {
  const share = Math.ceil(maxInFlight / 2);
  const ofClients = new Map<string, number>();
  let count = 0;
  return {
    begin({ auth, http }) {
      // Clients that nothing tells apart, as over stdio, may use the whole limit.
      const address = http?.address;
      const client = auth?.principal ?? (address && (networkOfAddress(address) ?? address));
      const own = client === undefined ? 0 : (ofClients.get(client) ?? 0);
      if (count >= maxInFlight || own >= share) {
        return undefined;
      }
      count++;
      if (client !== undefined) {
        ofClients.set(client, own + 1);
      }
      return () => {
        count--;
        if (client !== undefined) {
          adjustCount(ofClients, client, -1);
        }
      };
    },
  };
}
