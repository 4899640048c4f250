import type { Server } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { proxied } from "./lanes-fixture.ts";

test("a call whose connection ends before the call is sent was not delivered, and may be sent again", async () => {
  let behind: Server | undefined;
  const { send, lanes, runs } = await proxied(
    {
      back: legacyRevision,
      // The call waits for the server to request the roots.
      limits: { rootsWaitMs: 60_000 },
      prepare: (server) => {
        behind = server;
      },
    },
    { plain: () => "done" },
  );
  const call = send("ann", "plain");
  await expect.poll(() => lanes.isOpen).toBe(true);
  for (const session of behind?.sessions() ?? []) {
    await session.close({ drainMs: 0 });
  }
  expect((await call).error).toMatchObject({
    message: "The server cannot be reached.",
    data: { reason: "not-sent", delivered: "no" },
  });
  expect(runs).toEqual([]);
});
