import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Client, Server } from "@tenon/mcp";
import { instrument } from "@tenon/otel";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";

import { shapes } from "./shapes.ts";

let exporter = new InMemorySpanExporter();

beforeEach(() => {
  exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
});

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

const networks: Readonly<Record<string, object>> = {
  memory: {},
  port: {},
  stdio: { "network.transport": "pipe" },
};
const http = { "network.transport": "tcp", "network.protocol.name": "http" };

test.each(Object.keys(shapes))(
  "client and server are one trace, and name the network (%s)",
  async (shape) => {
    const { revision, serve } = shapes[shape] ?? expect.fail(`no shape ${shape}`);
    const server = new Server({ name: "server", version: "1.0.0" });
    server.addTool({ name: "hello" }, () => "Hello");
    instrument(server);
    let credential: string | undefined;
    server.addReceivingMiddleware((next) => (request) => {
      credential = request.session?.id;
      return next(request);
    });
    const endpoint = serve(server);
    const { transport } = await endpoint.client();
    const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
    instrument(client);
    onTestFinished(async () => {
      await client.close();
      await endpoint.close();
    });
    const session = await client.connect(transport);
    await session.callTool({ name: "hello" });
    const spans = exporter.getFinishedSpans().filter(({ name }) => name === "tools/call hello");
    const ofKind = (wanted: number) => spans.find(({ kind }: { readonly kind: number }) => kind === wanted);
    const [sent, received] = [ofKind(SpanKind.CLIENT), ofKind(SpanKind.SERVER)];
    expect(received?.parentSpanContext?.spanId).toBe(sent?.spanContext().spanId);
    expect(received?.spanContext().traceId).toBe(sent?.spanContext().traceId);
    const network = networks[shape] ?? http;
    expect(received?.attributes).toMatchObject(network);
    expect(sent?.attributes).toMatchObject(network);
    expect(sent?.attributes["server.address"]).toBe(network === http ? "localhost" : undefined);
    expect(received?.attributes["mcp.session.id"] === undefined).toBe(credential === undefined);
    expect(JSON.stringify(received?.attributes)).not.toContain(credential ?? "no session");
  },
);
