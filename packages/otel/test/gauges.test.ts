import { Client, Server } from "@tenon/mcp";
import { instrument } from "@tenon/otel";
import { bothEras, deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { startTelemetry } from "./telemetry.ts";

test.each(bothEras)(
  "gauges count open sessions and requests in flight of %s, and go back to 0",
  async (revision) => {
    await using telemetry = startTelemetry();
    const value = async (name: string): Promise<number> =>
      (await telemetry.points(name)).reduce((sum, { value: one }) => sum + (one as unknown as number), 0);
    const server = new Server({ name: "s", version: "1" }, { onError: () => {} });
    const [started, end] = [deferred(), deferred()];
    server.addTool({ name: "slow" }, async () => {
      started.resolve();
      await end.promise;
      throw new Error("in the end");
    });
    instrument(server);
    const client = new Client({ name: "c", version: "1" }, { revisions: [revision] });
    instrument(client);
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const session = await client.connect(here);
    const call = session.callTool({ name: "slow" });
    await started.promise;
    expect(await value("tenon.client.session.active")).toBe(1);
    expect(await value("tenon.server.session.active")).toBe(1);
    expect(await value("tenon.server.operation.active")).toBe(1);
    const [point] = (await telemetry.points("tenon.server.operation.active")).filter(
      ({ value: one }) => (one as unknown) === 1,
    );
    expect(point?.attributes).toEqual({ "mcp.method.name": "tools/call" });
    expect(await value("tenon.client.operation.active")).toBe(1);
    end.resolve();
    await call;
    expect(await value("tenon.server.operation.active")).toBe(0);
    expect(await value("tenon.client.operation.active")).toBe(0);
    await session.close();
    await expect.poll(() => value("tenon.client.session.active")).toBe(0);
    await expect.poll(() => value("tenon.server.session.active")).toBe(0);
  },
);
