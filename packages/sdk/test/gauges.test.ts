import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from "@opentelemetry/sdk-metrics";
import { Client, Server } from "@tenon/mcp";
import { listen } from "@tenon/node";
import { instrumentHandler, instrumentStores } from "@tenon/otel";
import { createMemoryTaskStore, createTaskEngine } from "@tenon/tasks";
import { deferred, legacyRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test, vi } from "vitest";

/** A meter, and what it has measured. */
function measured() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => provider.shutdown());
  /** The values of a metric, by the values of its attributes. */
  async function read(name: string): Promise<Readonly<Record<string, number>>> {
    const { resourceMetrics } = await reader.collect();
    const found = resourceMetrics.scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .find(({ descriptor }) => descriptor.name === name);
    const points = (found?.dataPoints ?? []) as DataPoint<number | Histogram>[];
    return Object.fromEntries(
      points.map(({ attributes, value }) => [
        Object.values(attributes).join(" "),
        typeof value === "number" ? value : value.count,
      ]),
    );
  }
  return { meter: provider.getMeter("test"), read };
}

test("HTTP requests, streams of legacy sessions and refusals are measured on Node", async () => {
  const { meter, read } = measured();
  const server = new Server({ name: "s", version: "1" });
  const handler = instrumentHandler(createStreamableHandler({ getServer: () => server }), { meter });
  await using listening = await listen(handler);
  const client = new Client({ name: "c", version: "1" }, { revisions: [legacyRevision] });
  const session = await client.connect(new StreamableClientTransport(listening.url));
  await expect.poll(() => read("tenon.server.http.active")).toMatchObject({ GET: 1 });
  await (await fetch(listening.url, { method: "PUT" })).text();
  await session.close();
  await expect
    .poll(() => read("tenon.server.http.active"))
    .toEqual({ GET: 0, POST: 0, DELETE: 0, _OTHER: 0 });
  expect(await read("tenon.server.http.duration")).toMatchObject({ "GET 200": 1, "_OTHER 405": 1 });
});

test("a web-standard response is open until its body was read, or its reader has left", async () => {
  const { meter, read } = measured();
  const server = new Server({ name: "s", version: "1" });
  await using inner = createStreamableHandler({ getServer: () => server });
  const handler = instrumentHandler(inner, { meter });
  expect([handler.restricted, Object.getOwnPropertySymbols(handler)]).toEqual([
    inner.restricted,
    Object.getOwnPropertySymbols(inner),
  ]);
  const ask = (method: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
    handler.fetch(
      new Request("http://127.0.0.1/mcp", {
        method,
        headers: {
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
      }),
    );
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: legacyRevision, capabilities: {}, clientInfo };
  const opened = await ask("POST", { id: 1, method: "initialize", params });
  expect(await read("tenon.server.http.active")).toEqual({ POST: 1 });
  expect(await opened.text()).toContain(legacyRevision);
  const id = opened.headers.get("mcp-session-id") ?? "";
  const ofSession = { "mcp-session-id": id, "mcp-protocol-version": legacyRevision };
  await ask("POST", { method: "notifications/initialized" }, ofSession);
  const stream = await ask("GET", undefined, { ...ofSession, accept: "text/event-stream" });
  expect(await read("tenon.server.http.active")).toEqual({ POST: 0, GET: 1 });
  await stream.body?.cancel();
  expect(await read("tenon.server.http.active")).toEqual({ POST: 0, GET: 0 });
  expect(await read("tenon.server.http.duration")).toEqual({ "POST 200": 1, "POST 202": 1, "GET 200": 1 });
});

test("a client that left before the handler was called is no open request", async () => {
  const { meter, read } = measured();
  const server = new Server({ name: "s", version: "1" });
  await using inner = createStreamableHandler({ getServer: () => server });
  const handler = instrumentHandler(inner, { meter });
  const handled = deferred();
  const http = createServer((request, response) => {
    response.once("close", () => void handler.node(request, response).finally(() => handled.resolve()));
    requested.destroy();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close());
  await once(http, "listening");
  const requested = get({ port: (http.address() as AddressInfo).port }).on("error", () => {});
  await handled.promise;
  expect(await read("tenon.server.http.active")).toEqual({ GET: 0 });
});

test.each(["close of the stores", "disposal of the stores", "disposal of the store"])(
  "a store is not counted after the %s",
  async (how) => {
    const { meter, read } = measured();
    const tasks = createMemoryTaskStore();
    const count = vi.spyOn(tasks, "count");
    const inner = { tasks, close: () => tasks.close(), [Symbol.asyncDispose]: () => tasks.close() };
    const stores = instrumentStores(inner, { meter });
    await stores.tasks.get("unknown", "");
    expect(await read("tenon.task.active")).toEqual({ queued: 0, running: 0, waiting: 0 });
    await (how.startsWith("close")
      ? stores.close()
      : how.endsWith("stores")
        ? stores[Symbol.asyncDispose]()
        : stores.tasks[Symbol.asyncDispose]());
    count.mockClear();
    await read("tenon.task.active");
    expect(count).not.toHaveBeenCalled();
  },
);

test("tasks are counted by state, whichever process runs them", async () => {
  const { meter, read } = measured();
  const { tasks } = instrumentStores({ tasks: createMemoryTaskStore() }, { meter });
  await using engine = createTaskEngine({ store: tasks, limits: { maxRunning: 1 } });
  let end = (): void => {};
  const asks = {
    name: "asks",
    version: "1",
    run: (task: { ask(key: string, question: object): Promise<unknown> }) => task.ask("name", {}),
  };
  const works = {
    name: "works",
    version: "1",
    run: () => new Promise<string>((resolve) => (end = () => resolve("done"))),
  };
  const { id } = await engine.start({ definition: asks });
  await expect.poll(() => read("tenon.task.active")).toEqual({ queued: 0, running: 0, waiting: 1 });
  await engine.start({ definition: works });
  await engine.start({ definition: works });
  expect(await read("tenon.task.active")).toEqual({ queued: 1, running: 1, waiting: 1 });
  await engine.cancel(id, "");
  expect(await read("tenon.task.active")).toEqual({ queued: 1, running: 1, waiting: 0 });
  end();
  await expect.poll(() => read("tenon.task.active")).toEqual({ queued: 0, running: 1, waiting: 0 });
});
