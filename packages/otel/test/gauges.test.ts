import { Client, Server } from "@tenon/mcp";
import { instrument, instrumentHandler } from "@tenon/otel";
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

test("a stream of a handler is counted once, although its reader leaves during a read", async () => {
  await using telemetry = startTelemetry();
  const waits = deferred();
  let pulls = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
    pulls++ === 0 ? controller.enqueue(new Uint8Array(1)) : waits.resolve();
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  const respond: (request: Request) => Promise<Response> = () => Promise.resolve(new Response(body));
  const { fetch } = instrumentHandler({ fetch: respond });
  const { body: answered } = await fetch(new Request("http://localhost/mcp"));
  const reader = answered?.getReader();
  await reader?.read();
  const waiting = reader?.read();
  await waits.promise;
  await reader?.cancel();
  await waiting;
  const active = await telemetry.points("tenon.server.http.active");
  expect(active.map(({ value }) => value)).toEqual([0]);
  const ended = await telemetry.points("tenon.server.http.duration");
  expect(ended.map(({ value }) => value.count)).toEqual([1]);
});
