import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { Client, Server } from "@tenon/mcp";
import { instrument } from "@tenon/otel";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { startTelemetry } from "./telemetry.ts";

const opening = new Map<Revision, string>([
  [legacyRevision, "initialize"],
  [modernRevision, "server/discover"],
]);

/** Connects an instrumented client to an instrumented server. */
async function connect(client: Client, server: Server): Promise<void> {
  instrument(server);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
}

test.each(bothEras)("the handshake of %s is a span on each side, in one trace", async (revision) => {
  await using telemetry = startTelemetry();
  const client = new Client({ name: "measuring", version: "1.0.0" }, { revisions: [revision] });
  instrument(client);
  await connect(client, new Server({ name: "measured", version: "1.0.0" }));
  const method = opening.get(revision) ?? "";
  const sent = telemetry.named(method, SpanKind.CLIENT);
  const received = telemetry.named(method, SpanKind.SERVER);
  expect(sent.attributes).toEqual({ "mcp.method.name": method, "mcp.protocol.version": revision });
  expect(sent.status.code).toBe(SpanStatusCode.UNSET);
  expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
  const points = await telemetry.points("mcp.client.operation.duration");
  expect(points.map(({ attributes }) => attributes["mcp.method.name"])).toContain(method);
});

test("a probe that a server rejects is a failed span, followed by the span of the handshake", async () => {
  await using telemetry = startTelemetry();
  const client = new Client({ name: "measuring", version: "1.0.0" });
  instrument(client);
  const server = new Server({ name: "measured", version: "1.0.0" }, { revisions: [legacyRevision] });
  await connect(client, server);
  const probe = telemetry.named("server/discover", SpanKind.CLIENT);
  expect(probe.status.code).toBe(SpanStatusCode.ERROR);
  expect(probe.attributes["error.type"]).toMatch(/^-32\d{3}$/);
  expect(telemetry.named("initialize", SpanKind.CLIENT).status.code).toBe(SpanStatusCode.UNSET);
});

test("the handshake of a client that is not instrumented is not changed", async () => {
  await using telemetry = startTelemetry();
  instrument(new Client({ name: "another", version: "1.0.0" }));
  const client = new Client({ name: "plain", version: "1.0.0" }, { revisions: [legacyRevision] });
  await connect(client, new Server({ name: "measured", version: "1.0.0" }));
  const received = telemetry.named("initialize", SpanKind.SERVER);
  expect(received.parentSpanContext).toBeUndefined();
  expect(() => telemetry.named("initialize", SpanKind.CLIENT)).toThrow("No span initialize");
});
