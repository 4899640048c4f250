import { createStoreCalls, quoted, type ReplayStore } from "@tenon/stores";

import type { Connection } from "./database.ts";

/** Creates the replay store of a database. */
export function createReplayStore({
  run,
  write,
  date,
}: Connection): ReplayStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Replay store");
  return {
    add: (key, until) =>
      calls.run(() =>
        write(() => {
          run("DELETE FROM tenon_replay WHERE until <= ?", date());
          return run("INSERT INTO tenon_replay VALUES (?, ?) ON CONFLICT DO NOTHING", quoted(key), until) > 0;
        }),
      ),
    close: () => calls.close(),
  };
}
