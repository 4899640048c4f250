import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Lane } from "@tenon/host";
import { Client } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { proxied } from "./lanes-fixture.ts";

test("connections to a legacy server that broke are forgotten while their legacy client stays", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const ended: WeakRef<Lane>[] = [];
  const { front, connections } = await proxied(
    { back: legacyRevision, onEnd: (lane) => void ended.push(new WeakRef(lane)) },
    { crash: ({ session }) => session?.close({ drainMs: 0 }) },
  );
  const [here, there] = createInMemoryTransports();
  await front.connect(there);
  const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [legacyRevision] });
  await using session = await client.connect(here);
  for (let round = 1; round <= 10; round++) {
    await expect(session.callTool({ name: "crash" })).rejects.toMatchObject({ code: -32_603 });
    await expect.poll(() => ended.length).toBe(round);
  }
  expect(connections.count).toBe(10);
  // The last one may still be referred to by the stack.
  await expect
    .poll(() => {
      collect();
      return ended.filter((lane) => lane.deref() !== undefined).length;
    })
    .toBeLessThan(3);
});
