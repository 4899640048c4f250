import { createStoreCalls, type ReplayStore } from "@tenon/stores";

import { keyPart, type Connection } from "./connection.ts";

/** Creates the replay store of a client: one key for each proof. */
export function createReplayStore({
  prefix,
  command,
  timeoutMs,
}: Connection): ReplayStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Replay store", timeoutMs);
  return {
    add: (key, until) =>
      calls.run(async () => {
        const end = String(Math.max(1, Math.ceil(until)));
        return (await command("SET", `${prefix}r:${keyPart(key)}`, "1", "PXAT", end, "NX")) !== null;
      }),
    close: () => calls.close(),
  };
}
