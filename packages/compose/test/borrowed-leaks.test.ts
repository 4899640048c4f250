import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { CallRelay, type Lane } from "@tenon/host";
import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { borrowedSource } from "../src/source/borrowed-source.ts";

test.each(bothEras)(
  "connections of a client that connects again after each loss are forgotten (server of %s)",
  async (revision) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision] });
    const client = new Client({ name: "host", version: "1.0.0" });
    const source = borrowedSource({
      name: "far",
      relay: new CallRelay(),
      async session() {
        const [here, there] = createInMemoryTransports();
        await server.connect(there);
        return client.connect(here);
      },
    });
    onTestFinished(() => source[Symbol.asyncDispose]());
    const caller = { key: "ann", session: undefined, inputs: {}, asks: "never" } as const;
    const useOnce = async (): Promise<WeakRef<Lane>> => {
      const lane = await source.lanes.view(caller, new AbortController().signal);
      await lane.session.close();
      return new WeakRef(lane);
    };
    const lanes: WeakRef<Lane>[] = [];
    for (let round = 1; round <= 10; round++) {
      lanes.push(await useOnce());
    }
    // The last one may still be referred to by the stack.
    await expect
      .poll(() => {
        collect();
        return lanes.filter((lane) => lane.deref() !== undefined).length;
      })
      .toBeLessThan(3);
  },
);
