import { isRecord } from "@tenon/base";
import { wrapTransport, type Outgoing, type Transport } from "@tenon/jsonrpc2/core";
import { replayCassette, type Cassette } from "@tenon/testing/cassette";

const handshakes = new Set(["initialize", "server/discover"]);

/**
 * Plays a recording. Clients declare different capabilities, so a handshake gets the params of the
 * recorded handshake.
 *
 * @param match - `method`: other requests are compared by their method alone.
 */
export function replayTarget(cassette: Cassette, match: string | undefined): Transport {
  const recorded = new Map<unknown, unknown>();
  for (const entry of cassette.entries) {
    const message = "message" in entry ? entry.message : undefined;
    if (isRecord(message) && handshakes.has(message["method"] as string)) {
      recorded.set(message["method"], message["params"]);
    }
  }
  const replayed = replayCassette(cassette, { match: match === "method" ? "method" : "params" });
  return wrapTransport(replayed, {
    onWrite(outgoing): Outgoing {
      const message: unknown = outgoing;
      const method = isRecord(message) ? message["method"] : undefined;
      return recorded.has(method)
        ? ({ ...(message as object), params: recorded.get(method) } as unknown as Outgoing)
        : outgoing;
    },
  });
}
