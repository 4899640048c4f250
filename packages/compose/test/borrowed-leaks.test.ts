import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { compose } from "@tenon/compose";
import { CallRelay, Manager, type Lane } from "@tenon/host";
import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { borrowedSource } from "../src/source/borrowed-source.ts";

/** Collects garbage. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

test.each(bothEras)(
  "connections of a client that connects again after each loss are forgotten (server of %s)",
  async (revision) => {
    const collect = collector();
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

test.each(["session", "manager"].flatMap((kind) => bothEras.map((revision) => [kind, revision] as const)))(
  "a %s that many compositions use one after the other forgets each (server of %s)",
  async (kind, revision) => {
    const collect = collector();
    const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision] });
    server.addTool({ name: "run" }, () => "done");
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const manager = new Manager({ servers: { far: { type: "custom", transport: () => here } } });
    const shared = await manager.connect("far");
    onTestFinished(() => manager.close());
    const useOnce = async (): Promise<WeakRef<Server>> => {
      const composed = compose(kind === "manager" ? manager : { far: shared }, { onError: () => {} });
      const [near, inside] = createInMemoryTransports();
      await composed.connect(inside);
      const session = await new Client({ name: "ann", version: "1.0.0" }).connect(near);
      const { tools } = await session.listTools();
      await session.callTool({ name: tools[0]?.name ?? "" });
      await session.close({ drainMs: 0 });
      await composed.close({ drainMs: 0 });
      return new WeakRef(composed);
    };
    const compositions: WeakRef<Server>[] = [];
    for (let round = 1; round <= 10; round++) {
      compositions.push(await useOnce());
    }
    // The last one may still be referred to by the stack.
    await expect
      .poll(() => {
        collect();
        return compositions.filter((composed) => composed.deref() !== undefined).length;
      })
      .toBeLessThan(3);
  },
);
